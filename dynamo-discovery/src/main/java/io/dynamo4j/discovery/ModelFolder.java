// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.discovery;

import io.dynamo4j.core.hash.Blake3;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/**
 * A model's folder as Hugging Face lays it out, and what a model card says of it.
 *
 * <p>Frontends tokenize with these files: the card names them by path, so that frontend and worker
 * see the same folder, and by BLAKE3 checksum, which a frontend compares before it serves the
 * model.
 */
public final class ModelFolder {
  private static final ModelFolder NONE = new ModelFolder(Collections.emptyMap());

  private final Map<String, Object> card;

  private ModelFolder(Map<String, Object> card) {
    this.card = Collections.unmodifiableMap(card);
  }

  /** Returns no model: for workers that frontends need not tokenize for. */
  public static ModelFolder none() {
    return NONE;
  }

  /**
   * Reads a folder; needed are {@code config.json}, {@code tokenizer.json} and {@code
   * tokenizer_config.json}. Reads the files whole.
   *
   * @param name the model's name as clients give it
   * @throws UncheckedIOException if a file cannot be read
   */
  public static ModelFolder of(Path folder, String name) {
    Objects.requireNonNull(name, "name");
    Path absolute = folder.toAbsolutePath().normalize();
    try {
      return new ModelFolder(card(absolute, name));
    } catch (IOException e) {
      throw new UncheckedIOException("model folder cannot be read: folder=" + absolute, e);
    }
  }

  private static Map<String, Object> card(Path folder, String name) throws IOException {
    Map<String, Object> card = new LinkedHashMap<>();
    card.put("display_name", name);
    card.put("slug", slug(name));
    card.put("source_path", folder.toString());
    card.put("model_info", Map.of("hf_config_json", file(folder, "config.json")));
    card.put("tokenizer", Map.of("hf_tokenizer_json", file(folder, "tokenizer.json")));
    card.put(
        "prompt_formatter",
        Map.of("hf_tokenizer_config_json", file(folder, "tokenizer_config.json")));
    if (Files.exists(folder.resolve("chat_template.jinja"))) {
      Map<String, Object> template = new LinkedHashMap<>();
      template.put("is_custom", false);
      template.put("file", file(folder, "chat_template.jinja"));
      card.put("chat_template_file", Map.of("hf_chat_template", template));
    }
    if (Files.exists(folder.resolve("generation_config.json"))) {
      card.put(
          "gen_config",
          Map.of("hf_generation_config_json", file(folder, "generation_config.json")));
    }
    card.put("context_length", 0L);
    card.put("migration_limit", 0L);
    card.put("model_type", "Chat | Completions");
    card.put("model_input", "Tokens");
    card.put("worker_type", "aggregated");
    card.put("needs", List.of());
    return card;
  }

  private static Map<String, Object> file(Path folder, String name) throws IOException {
    Path path = folder.resolve(name);
    byte[] content = Files.readAllBytes(path);
    Map<String, Object> file = new LinkedHashMap<>();
    file.put("path", path.toString());
    file.put("checksum", "blake3:" + HexFormat.of().formatHex(Blake3.hash(content)));
    file.put("size", (long) content.length);
    return file;
  }

  private static String slug(String name) {
    return name.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9_-]", "_");
  }

  /** Returns the fields of a card that speak of the model. */
  Map<String, Object> card() {
    return card;
  }
}
