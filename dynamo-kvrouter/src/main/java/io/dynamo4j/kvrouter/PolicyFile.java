// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A policy file in Dynamo's form: which classes of requests wait and how, by model, and which
 * worker selections a host has named.
 *
 * <pre>{@code
 * default_policy_family: interactive
 * uncached_isl_buckets:
 *   - {min_tokens: 0, bucket: short}
 *   - {min_tokens: 4096, bucket: long}
 * policy_classes:
 *   - name: interactive-short
 *     policy_family: interactive
 *     cache_bucket: short
 *     quantum: 4096
 *     prefill_busy_threshold_frac: 1.5
 *   - name: batch
 *     prefill_busy_threshold_frac: 0.5
 *     request_queue_limit_per_worker: 64
 * models:
 *   other-model:
 *     policy_classes: …
 * }</pre>
 *
 * <p>A model's own profile replaces the one at the root; a model that has none takes that. Fields
 * that are not known are refused.
 *
 * <p><b>Threads.</b> Immutable.
 */
public final class PolicyFile {
  /** A file in which nothing stands. */
  static final PolicyFile EMPTY =
      new PolicyFile(null, new LinkedHashMap<>(), PolicySelections.NONE);

  private final @Nullable QueueConfig root;
  private final Map<String, QueueConfig> models;
  private final PolicySelections selections;

  private PolicyFile(
      @Nullable QueueConfig root, Map<String, QueueConfig> models, PolicySelections selections) {
    this.root = root;
    this.models = Collections.unmodifiableMap(models);
    this.selections = selections;
  }

  /**
   * A selection of workers that the file names for one role; what its type means is the host's
   * matter, {@code default} is the built-in one.
   *
   * @param name what the role calls it
   * @param type which kind of policy it is
   * @param parameters the policy's own; unmodifiable
   */
  public record WorkerSelection(String name, String type, Map<String, Object> parameters) {}

  /**
   * Reads a file.
   *
   * @throws IllegalArgumentException if it cannot be read or something in it is wrong
   */
  public static PolicyFile read(Path file) {
    try {
      return parse(Files.readString(file));
    } catch (IOException e) {
      throw new IllegalArgumentException("policy file cannot be read: path=" + file, e);
    }
  }

  /**
   * Reads a file's text.
   *
   * @throws IllegalArgumentException if it is not written in block mappings and sequences of YAML,
   *     or something in it is wrong
   */
  public static PolicyFile parse(String yaml) {
    Object content = PolicyYaml.read(yaml);
    if (!(content instanceof Map<?, ?> map)) {
      throw new IllegalArgumentException("policy file is no mapping: content=" + content);
    }
    return of(map);
  }

  /**
   * Takes a file that the host has parsed: maps, lists, texts and numbers.
   *
   * @throws IllegalArgumentException if something in it is wrong
   */
  public static PolicyFile of(Map<?, ?> content) {
    PolicyFields fields = PolicyFields.of("", content);
    QueueConfig root = PolicyProfile.read(fields);
    Map<String, QueueConfig> models = new LinkedHashMap<>();
    PolicyFields byModel = fields.map("models");
    for (String model : byModel.names()) {
      PolicyFields profile = byModel.map(model);
      QueueConfig queue = PolicyProfile.read(profile);
      profile.requireNothingElse();
      if (queue == null) {
        throw new IllegalArgumentException("model has no policy class: model=" + model);
      }
      models.put(model, queue);
    }
    PolicySelections selections = PolicySelections.read(fields.map("worker_selection"));
    fields.requireNothingElse();
    return new PolicyFile(root, models, selections);
  }

  /**
   * Returns how requests of a model wait: by its own profile, or the one at the root; empty if the
   * file has neither.
   */
  public Optional<QueueConfig> queue(String modelName) {
    Objects.requireNonNull(modelName, "modelName");
    QueueConfig own = models.get(modelName);
    return Optional.ofNullable(own == null ? root : own)
        .map(queue -> queue.toBuilder().workerSelections(selections.byRole()).build());
  }

  /** Returns the models that have a profile of their own. */
  public List<String> models() {
    return List.copyOf(models.keySet());
  }

  /**
   * Returns the selection of a role, {@code aggregated}, {@code prefill}, {@code decode} or {@code
   * encode}; empty for the built-in one.
   */
  public Optional<WorkerSelection> workerSelection(String role) {
    return Optional.ofNullable(selections.byRole().get(role));
  }

  PolicySelections selections() {
    return selections;
  }
}
