// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
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

  /** Requests from so many uncached tokens on, up to the next bucket. */
  private record Bucket(long minTokens, String name) {}

  private QueueConfig(Builder builder) {
    this.classes = List.copyOf(builder.classes);
    this.defaultFamily = builder.defaultFamily;
    this.buckets = List.copyOf(builder.buckets);
    this.maxWait = builder.maxWait;
    this.overlapRefreshAfter = builder.overlapRefreshAfter;
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
   * Reads {@code DYN_ROUTER_QUEUE_THRESHOLD}, {@code DYN_ROUTER_QUEUE_POLICY} and {@code
   * DYN_ROUTER_OVERLAP_REFRESH_AFTER_SECS}; what is absent or cannot be parsed has its default.
   *
   * @throws IllegalArgumentException if a value is out of range
   */
  public static QueueConfig fromEnvironment(Map<String, String> environment) {
    Builder builder = builder();
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
    return builder.policyClass(only.build()).build();
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
