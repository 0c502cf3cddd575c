// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * One file of cases: an object with a list {@code cases}, a list, a single case, or one case a
 * line.
 */
final class CaseFile {
  private static final ObjectMapper JSON =
      JsonMapper.builder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build();

  private final Path path;
  private final String id;

  private CaseFile(Path path, String id) {
    this.path = path;
    this.id = id;
  }

  static CaseFile of(Path path) {
    Path absolute = path.toAbsolutePath().normalize();
    String name = nameOf(absolute);
    String stem = name.substring(0, name.lastIndexOf('.'));
    Path folder = absolute.getParent();
    return new CaseFile(path, (folder == null ? "" : nameOf(folder)) + "/" + stem);
  }

  static boolean isCaseFile(Path path) {
    String name = nameOf(path);
    return name.endsWith(".json") || name.endsWith(".jsonl");
  }

  /** Returns {@code folder/file}, the beginning of each case's id. */
  String id() {
    return id;
  }

  /**
   * Returns the cases, each with an id of its own; at least one, except that a recording of lines
   * may have ended before its first one.
   *
   * @throws MalformedCaseException if the file is unreadable, no JSON, or holds no case
   */
  List<GoldenCase> read() {
    try {
      boolean isLines = path.toString().endsWith(".jsonl");
      List<GoldenCase> cases = isLines ? readLines() : split(JSON.readTree(path.toFile()));
      if (cases.isEmpty() && !(isLines && Files.size(path) == 0)) {
        throw new MalformedCaseException("file holds no case: path=" + path);
      }
      return cases;
    } catch (JsonProcessingException e) {
      throw new MalformedCaseException(
          "file is no JSON: path=" + path + ", " + e.getOriginalMessage(), e);
    } catch (CharacterCodingException e) {
      throw new MalformedCaseException("file is no UTF-8: path=" + path, e);
    } catch (IOException e) {
      throw new MalformedCaseException("file cannot be read: path=" + path, e);
    }
  }

  private List<GoldenCase> readLines() throws IOException {
    List<String> lines = Files.readAllLines(path);
    List<GoldenCase> cases = new ArrayList<>();
    for (int i = 0; i < lines.size(); i++) {
      if (!lines.get(i).isBlank()) {
        cases.add(new GoldenCase(id + "#" + (i + 1), line(lines.get(i), i + 1)));
      }
    }
    return cases;
  }

  private JsonNode line(String line, int number) throws IOException {
    try {
      return JSON.readTree(line);
    } catch (JsonProcessingException e) {
      throw new MalformedCaseException(
          "line is no JSON: path=" + path + ", line=" + number + ", " + e.getOriginalMessage(), e);
    }
  }

  private List<GoldenCase> split(JsonNode root) {
    if (root.isMissingNode()) {
      return List.of();
    }
    if (root.isArray()) {
      return numbered(root);
    }
    if (root.has("cases")) {
      return numbered(Fields.array(root, "cases"));
    }
    return root.isEmpty() ? List.of() : List.of(new GoldenCase(id, root));
  }

  /** Numbers by the cases' own {@code index} where these differ, else by position from 1 on. */
  private List<GoldenCase> numbered(JsonNode list) {
    Set<String> indexes = new LinkedHashSet<>();
    list.forEach(each -> indexes.add(each.path("index").asText()));
    boolean own = indexes.size() == list.size() && !indexes.contains("");
    List<GoldenCase> cases = new ArrayList<>();
    for (JsonNode each : list) {
      String number = own ? each.get("index").asText() : String.valueOf(cases.size() + 1);
      cases.add(new GoldenCase(id + "#" + number, each));
    }
    return cases;
  }

  private static String nameOf(Path path) {
    Path name = path.getFileName();
    return name == null ? "" : name.toString();
  }

  @Override
  public String toString() {
    return path.toString();
  }
}
