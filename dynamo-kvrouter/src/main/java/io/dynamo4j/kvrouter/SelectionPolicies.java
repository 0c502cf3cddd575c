// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.kvrouter.PolicyFile.WorkerSelection;
import java.util.Collections;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * A host's kinds of worker selection by name, from which those of a policy file, or of Dynamo's
 * variables, are made.
 *
 * <pre>{@code
 * SelectionPolicies policies =
 *     SelectionPolicies.builder()
 *         .register("least-loaded", parameters -> new LeastLoaded(parameters))
 *         .build();
 * QueueConfig queue = QueueConfig.fromEnvironment(System.getenv(), "model");
 * KvRouter.builder().queue(queue).selector(policies.selector("decode", queue, config))
 * }</pre>
 *
 * <p><b>Threads.</b> Immutable.
 */
public final class SelectionPolicies {
  private final Map<String, Function<Map<String, Object>, WorkerSelector>> factories;

  private SelectionPolicies(Builder builder) {
    this.factories = Collections.unmodifiableMap(new TreeMap<>(builder.factories));
  }

  public static Builder builder() {
    return new Builder();
  }

  /**
   * Returns the selection of a role: as the queue's configuration names it, or the built-in one
   * where it names none.
   *
   * @param role {@code aggregated}, {@code prefill} or {@code decode}
   * @param config of the built-in selection
   * @throws IllegalArgumentException if the role is none of these, or no kind of that name is
   *     registered
   */
  public WorkerSelector selector(String role, QueueConfig queue, KvRouterConfig config) {
    if (!role.equals("aggregated") && !role.equals("prefill") && !role.equals("decode")) {
      throw new IllegalArgumentException(
          "role must be aggregated, prefill or decode: role=" + role);
    }
    WorkerSelection named = queue.workerSelections().get(role);
    if (named == null) {
      return KvPolicy.KV.selector(config, PredictionConfig.ofDefaults());
    }
    Function<Map<String, Object>, WorkerSelector> factory = factories.get(named.type());
    if (factory == null) {
      throw new IllegalArgumentException(
          "worker selection is of a kind that is not registered: role="
              + role
              + ", name="
              + named.name()
              + ", type="
              + named.type()
              + ", registered="
              + factories.keySet());
    }
    return Objects.requireNonNull(factory.apply(named.parameters()), "selector");
  }

  /** Builds {@link SelectionPolicies}. */
  public static final class Builder {
    private final Map<String, Function<Map<String, Object>, WorkerSelector>> factories =
        new TreeMap<>();

    private Builder() {}

    /**
     * Registers a kind.
     *
     * @param type its name in files: letters, digits, {@code _ . -}
     * @param factory makes a selector from an instance's parameters, which are texts, numbers,
     *     flags, lists and maps
     * @throws IllegalArgumentException if the name is none, {@code default}, or registered
     */
    public Builder register(String type, Function<Map<String, Object>, WorkerSelector> factory) {
      if (!PolicySelections.isName(type) || type.equals(PolicySelections.BUILT_IN)) {
        throw new IllegalArgumentException(
            "kind needs a name of letters, digits, _ . - other than default: type=" + type);
      }
      if (factories.putIfAbsent(type, Objects.requireNonNull(factory, "factory")) != null) {
        throw new IllegalArgumentException("kind is registered twice: type=" + type);
      }
      return this;
    }

    public SelectionPolicies build() {
      return new SelectionPolicies(this);
    }
  }
}
