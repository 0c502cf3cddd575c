// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** One profile of a policy file: families, buckets and classes. */
final class PolicyProfile {

  private PolicyProfile() {}

  /**
   * Reads a profile.
   *
   * @return null if it has none of the three
   * @throws IllegalArgumentException if something is wrong
   */
  static @Nullable QueueConfig read(PolicyFields fields) {
    QueueConfig.Builder queue = QueueConfig.builder();
    String[] family = {""};
    fields.text("default_policy_family", name -> family[0] = name);
    Set<String> buckets = readBuckets(fields.list("uncached_isl_buckets"), queue);
    List<PolicyFields> classes = fields.list("policy_classes");
    Set<String> families = new TreeSet<>();
    for (PolicyFields each : classes) {
      PolicyClass policyClass = readClass(each);
      if (!policyClass.bucket().isEmpty() && !buckets.contains(policyClass.bucket())) {
        throw new IllegalArgumentException(
            "cache_bucket is not one of uncached_isl_buckets: class="
                + policyClass.name()
                + ", cache_bucket="
                + policyClass.bucket());
      }
      families.add(policyClass.family());
      queue.policyClass(policyClass);
    }
    if (classes.isEmpty()) {
      if (!family[0].isEmpty() || !buckets.isEmpty()) {
        throw new IllegalArgumentException("policy_classes must not be empty: classes=0");
      }
      return null;
    }
    if (!family[0].isEmpty() && !families.contains(family[0])) {
      throw new IllegalArgumentException(
          "default_policy_family is no class's policy_family: default_policy_family=" + family[0]);
    }
    return queue.defaultFamily(family[0]).build();
  }

  private static Set<String> readBuckets(List<PolicyFields> fields, QueueConfig.Builder queue) {
    Set<String> names = new TreeSet<>();
    long[] before = {-1};
    for (PolicyFields bucket : fields) {
      String name = bucket.requiredText("bucket");
      long[] least = {-1};
      bucket.integer("min_tokens", tokens -> least[0] = tokens);
      bucket.requireNothingElse();
      boolean isFirst = names.isEmpty();
      if (least[0] <= before[0] || (isFirst && least[0] != 0) || !names.add(name)) {
        throw new IllegalArgumentException(
            "uncached_isl_buckets must begin at 0 and ascend: bucket="
                + name
                + ", min_tokens="
                + least[0]);
      }
      before[0] = least[0];
      queue.uncachedBucket(least[0], name);
    }
    return names;
  }

  private static PolicyClass readClass(PolicyFields fields) {
    PolicyClass.Builder builder = PolicyClass.builder(fields.requiredText("name"));
    fields.text("policy_family", builder::family);
    fields.text("cache_bucket", builder::bucket);
    fields.text("queue_policy", name -> builder.queuePolicy(queuePolicy(name)));
    fields.integer("quantum", builder::quantum);
    fields.integer("prefill_busy_threshold", builder::prefillBusyThreshold);
    fields.number("prefill_busy_threshold_frac", builder::prefillBusyThresholdFraction);
    fields.integer("request_queue_limit_per_worker", builder::requestLimitPerWorker);
    fields.integer("raw_isl_token_queue_limit_per_worker", builder::promptTokenLimitPerWorker);
    fields.integer("cached_token_queue_limit_per_worker", builder::cachedTokenLimitPerWorker);
    fields.requireNothingElse();
    return builder.build();
  }

  /** In Dynamo's files too the order of latest first is not to be had. */
  private static QueuePolicy queuePolicy(String name) {
    return switch (name) {
      case "fcfs" -> QueuePolicy.FCFS;
      case "wspt" -> QueuePolicy.WSPT;
      default ->
          throw new IllegalArgumentException(
              "queue_policy must be fcfs or wspt: queue_policy=" + name);
    };
  }
}
