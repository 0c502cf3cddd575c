// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.kvrouter.PolicyFile.WorkerSelection;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * When requests wait in the router instead of in an engine, and how; off by default.
 *
 * <p>Holding requests back while every worker has enough prompts in work lets the choice fall when
 * capacity frees, on the load of that moment, and lets urgent requests overtake.
 *
 * <p><b>Threads.</b> Immutable.
 */
public final class QueueConfig {
  private static final String DEFAULT_CLASS = "default";

  private final List<PolicyClass> classes;
  private final String defaultFamily;
  private final List<Bucket> buckets;
  private final @Nullable Duration maxWait;
  private final Duration overlapRefreshAfter;
  private final Map<String, WorkerSelection> workerSelections;

  /** Requests from so many uncached tokens on, up to the next bucket. */
  private record Bucket(long minTokens, String name) {}

  private QueueConfig(Builder builder) {
    this.classes = List.copyOf(builder.classes);
    this.defaultFamily = builder.defaultFamily;
    this.buckets = List.copyOf(builder.buckets);
    this.maxWait = builder.maxWait;
    this.overlapRefreshAfter = builder.overlapRefreshAfter;
    this.workerSelections = builder.workerSelections;
  }

  /** Returns the configuration under which nothing waits. */
  public static QueueConfig off() {
    return builder().policyClass(PolicyClass.builder(DEFAULT_CLASS).build()).build();
  }

  /**
   * Returns one class for all requests, which wait while every eligible rank has more prompt tokens
   * in work than {@code threshold} times its batched-token budget.
   *
   * @throws IllegalArgumentException if the threshold is negative or not finite
   */
  public static QueueConfig ofThreshold(double threshold, QueuePolicy policy) {
    ConfigRules.requireAtLeastZero("router_queue_threshold", threshold);
    return builder()
        .policyClass(
            PolicyClass.builder(DEFAULT_CLASS)
                .prefillBusyThresholdFraction(threshold)
                .queuePolicy(policy)
                .build())
        .build();
  }

  /**
   * Reads Dynamo's variables for a model whose name matters to no policy file.
   *
   * @throws IllegalArgumentException as {@link #fromEnvironment(Map, String)} does
   */
  public static QueueConfig fromEnvironment(Map<String, String> environment) {
    return fromEnvironment(environment, "");
  }

  /**
   * Reads {@code DYN_ROUTER_QUEUE_THRESHOLD}, {@code DYN_ROUTER_QUEUE_POLICY} and {@code
   * DYN_ROUTER_OVERLAP_REFRESH_AFTER_SECS}; what is absent or cannot be parsed has its default. The
   * file that {@code DYN_ROUTER_POLICY_CONFIG} names is read here, once; where it has a profile for
   * the model, or at its root, that says how requests wait instead of the first two. Which worker
   * selection a role has is named by {@code DYN_ROUTER_PREFILL_POLICY} and {@code
   * DYN_ROUTER_DECODE_POLICY}, else for each role by {@code DYN_ROUTER_WORKER_SELECTION_POLICY},
   * else by the file.
   *
   * @throws IllegalArgumentException if a value is out of range, or the file cannot be understood
   */
  public static QueueConfig fromEnvironment(Map<String, String> environment, String modelName) {
    Builder builder = builder();
    String path = environment.getOrDefault("DYN_ROUTER_POLICY_CONFIG", "").strip();
    PolicyFile file = path.isEmpty() ? PolicyFile.EMPTY : PolicyFile.read(Path.of(path));
    Optional<QueueConfig> profile = file.queue(modelName);
    builder.workerSelections(PolicySelections.named(environment, file));
    PolicyClass.Builder only = PolicyClass.builder(DEFAULT_CLASS);
    KvRouterEnvironment.number(
        environment,
        "DYN_ROUTER_QUEUE_THRESHOLD",
        threshold -> {
          ConfigRules.requireAtLeastZero("router_queue_threshold", threshold);
          only.prefillBusyThresholdFraction(threshold);
        });
    String policy = environment.getOrDefault("DYN_ROUTER_QUEUE_POLICY", "").strip();
    for (QueuePolicy known : QueuePolicy.values()) {
      if (known.name().toLowerCase(Locale.ROOT).equals(policy)) {
        only.queuePolicy(known);
      }
    }
    KvRouterEnvironment.number(
        environment,
        "DYN_ROUTER_OVERLAP_REFRESH_AFTER_SECS",
        seconds ->
            builder.overlapRefreshAfter(
                seconds > 0 && seconds < 1e9
                    ? Duration.ofMillis((long) (seconds * 1_000))
                    : Duration.ZERO));
    PolicyClass synthetic = only.build();
    return profile
        .map(
            own ->
                own.toBuilder()
                    .overlapRefreshAfter(builder.overlapRefreshAfter)
                    .workerSelections(builder.workerSelections)
                    .build())
        .orElseGet(() -> builder.policyClass(synthetic).build());
  }

  /**
   * Reads {@code router_queue_threshold}, {@code router_queue_policy} and {@code
   * router_policy_config} of Dynamo's map of router settings; other fields do not count here.
   *
   * @throws IllegalArgumentException if a value has the wrong type or range, or the file cannot be
   *     understood
   */
  public static QueueConfig fromMap(Map<?, ?> fields, String modelName) {
    Map<String, String> environment = new LinkedHashMap<>();
    Object threshold = fields.get("router_queue_threshold");
    if (threshold != null && !(threshold instanceof Number)) {
      throw new IllegalArgumentException(
          "router_queue_threshold must be a number: router_queue_threshold=" + threshold);
    }
    Object policy = fields.get("router_queue_policy");
    if (policy != null && !isPolicy(String.valueOf(policy))) {
      throw new IllegalArgumentException(
          "router_queue_policy must be fcfs, lcfs or wspt: router_queue_policy=" + policy);
    }
    put(environment, "DYN_ROUTER_QUEUE_THRESHOLD", threshold);
    put(environment, "DYN_ROUTER_QUEUE_POLICY", policy);
    put(environment, "DYN_ROUTER_POLICY_CONFIG", fields.get("router_policy_config"));
    return fromEnvironment(environment, modelName);
  }

  private static boolean isPolicy(String name) {
    for (QueuePolicy known : QueuePolicy.values()) {
      if (known.name().toLowerCase(Locale.ROOT).equals(name)) {
        return true;
      }
    }
    return false;
  }

  private static void put(Map<String, String> environment, String name, @Nullable Object value) {
    if (value != null) {
      environment.put(name, String.valueOf(value));
    }
  }

  /** Starts a configuration that is as this one. */
  public Builder toBuilder() {
    Builder builder = builder();
    builder.classes.addAll(classes);
    builder.buckets.addAll(buckets);
    builder.defaultFamily = defaultFamily;
    builder.maxWait = maxWait;
    builder.overlapRefreshAfter = overlapRefreshAfter;
    builder.workerSelections = workerSelections;
    return builder;
  }

  public static Builder builder() {
    return new Builder();
  }

  /** Returns the classes, in the order in which they get their turns. */
  public List<PolicyClass> classes() {
    return classes;
  }

  /** Returns how long a request waits at most, or null. */
  public @Nullable Duration maxWait() {
    return maxWait;
  }

  /** Returns how long a request waits before the index is asked again; zero means never. */
  public Duration overlapRefreshAfter() {
    return overlapRefreshAfter;
  }

  /**
   * Returns the worker selections that variables or a policy file name, by role; unmodifiable. A
   * router whose queue names any is built only with {@link KvRouterBuilder#selector}, for which
   * {@link SelectionPolicies} makes them.
   */
  public Map<String, WorkerSelection> workerSelections() {
    return workerSelections;
  }

  /** Returns whether any request could ever wait. */
  boolean waits() {
    return classes.stream().anyMatch(PolicyClass::waits);
  }

  /** Returns the index of the class that a request belongs to. */
  int resolve(String asked, long uncachedTokens) {
    int fallback = 0;
    String family = defaultFamily;
    for (int i = 0; i < classes.size(); i++) {
      PolicyClass each = classes.get(i);
      boolean isExplicit = each.family().isEmpty() && each.bucket().isEmpty();
      if (isExplicit && each.name().equals(asked)) {
        return i;
      }
      if (!asked.isEmpty() && each.family().equals(asked)) {
        family = asked;
      }
    }
    String bucket = "";
    for (Bucket each : buckets) {
      bucket = each.minTokens() <= uncachedTokens ? each.name() : bucket;
    }
    for (int i = classes.size() - 1; i >= 0; i--) {
      PolicyClass each = classes.get(i);
      if (each.family().equals(family)) {
        boolean fits = bucket.isEmpty() || each.bucket().isEmpty();
        if (fits || each.bucket().equals(bucket)) {
          fallback = i;
        }
      }
    }
    return fallback;
  }

  /** Builds a {@link QueueConfig}; at least one class is required. */
  public static final class Builder {
    private final List<PolicyClass> classes = new ArrayList<>();
    private final List<Bucket> buckets = new ArrayList<>();
    private String defaultFamily = "";
    private @Nullable Duration maxWait;
    private Duration overlapRefreshAfter = Duration.ofSeconds(10);
    private Map<String, WorkerSelection> workerSelections = Collections.emptyMap();

    private Builder() {}

    /** Adds a class. Without families the first one takes whoever names no other. */
    public Builder policyClass(PolicyClass policyClass) {
      classes.add(Objects.requireNonNull(policyClass, "policyClass"));
      return this;
    }

    /** Sets the family of requests that name none that is known. */
    public Builder defaultFamily(String family) {
      this.defaultFamily = Objects.requireNonNull(family, "family");
      return this;
    }

    /**
     * Names the requests that have at least so many uncached prompt tokens, up to the next bucket.
     *
     * @throws IllegalArgumentException if negative
     */
    public Builder uncachedBucket(long minTokens, String bucket) {
      ConfigRules.requireAtLeastZero("min_tokens", minTokens);
      buckets.removeIf(each -> each.minTokens() == minTokens);
      buckets.add(new Bucket(minTokens, Objects.requireNonNull(bucket, "bucket")));
      buckets.sort(Comparator.comparingLong(Bucket::minTokens));
      return this;
    }

    /** Sets how long a request waits at most; by default as long as its own deadline allows. */
    public Builder maxWait(Duration wait) {
      this.maxWait = Objects.requireNonNull(wait, "wait");
      return this;
    }

    /** Sets how long a request waits before the index is asked again; default 10 s, zero never. */
    public Builder overlapRefreshAfter(Duration wait) {
      this.overlapRefreshAfter = Objects.requireNonNull(wait, "wait");
      return this;
    }

    /** Sets worker selections by role, in an unmodifiable map. */
    Builder workerSelections(Map<String, WorkerSelection> byRole) {
      this.workerSelections = byRole;
      return this;
    }

    /**
     * Returns the configuration.
     *
     * @throws IllegalArgumentException if there is no class, or two have the same name or the same
     *     family and bucket; or if the buckets do not begin at 0
     */
    public QueueConfig build() {
      if (classes.isEmpty()) {
        throw new IllegalArgumentException("queue needs a policy class: classes=0");
      }
      TreeMap<String, String> seen = new TreeMap<>();
      for (PolicyClass each : classes) {
        String place = each.family() + "/" + each.bucket();
        boolean isExplicit = place.equals("/");
        if (seen.put("name " + each.name(), "") != null
            || (!isExplicit && seen.put("place " + place, "") != null)) {
          throw new IllegalArgumentException("policy class stands twice: class=" + each.name());
        }
      }
      if (!buckets.isEmpty() && buckets.get(0).minTokens() != 0) {
        throw new IllegalArgumentException(
            "buckets must begin at 0 tokens: first=" + buckets.get(0).minTokens());
      }
      return new QueueConfig(this);
    }
  }
}
