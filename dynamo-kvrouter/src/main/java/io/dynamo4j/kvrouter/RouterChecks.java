// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.indexer.KvIndexer;
import io.dynamo4j.plane.WorkerDirectory;
import org.jspecify.annotations.Nullable;

/** What parts of a router have to go together. */
final class RouterChecks {
  private RouterChecks() {}

  /**
   * Returns the environment if everything that no router is without is there.
   *
   * @throws IllegalStateException if something is missing
   */
  static Environment requireParts(KvRouterBuilder builder) {
    Environment environment = builder.environment();
    WorkerDirectory directory = builder.directory();
    if (environment == null || directory == null) {
      throw new IllegalStateException(
          "router needs environment and directory: environment="
              + presence(environment)
              + ", directory="
              + presence(directory));
    }
    return environment;
  }

  /**
   * Checks what excludes or needs each other.
   *
   * @throws IllegalArgumentException if two parts contradict each other
   */
  static void requireConsistent(KvRouterBuilder builder) {
    KvRouterConfig config = builder.config();
    boolean isRemote = builder.remoteIndex() != null;
    if (config.useRemoteIndexer() != isRemote || (isRemote && builder.indexer() != null)) {
      throw new IllegalArgumentException(
          "use_remote_indexer goes with a remote index and without one's own: use_remote_indexer="
              + config.useRemoteIndexer()
              + ", remoteIndex="
              + presence(builder.remoteIndex())
              + ", indexer="
              + presence(builder.indexer()));
    }
    if (isRemote && builder.eventFeed() != null) {
      throw new IllegalArgumentException(
          "a remote index goes without events of one's own: use_remote_indexer=true,"
              + " eventFeed=set");
    }
    if (builder.expectedPeers() > 0 && !builder.syncs()) {
      throw new IllegalArgumentException(
          "expected peers go with replica sync: expectedPeers=" + builder.expectedPeers());
    }
    if (builder.learnsSpeeds() && builder.toldSpeeds() != null) {
      throw new IllegalArgumentException(
          "speeds are either told or learned: speeds=set, learnSpeeds=true");
    }
    if (config.serveIndexer() != (builder.indexService() != null)) {
      throw new IllegalArgumentException(
          "serve_indexer goes with an index service: serve_indexer="
              + config.serveIndexer()
              + ", indexService="
              + presence(builder.indexService()));
    }
    requireExpected(builder);
  }

  private static void requireExpected(KvRouterBuilder builder) {
    KvRouterConfig config = builder.config();
    if (config.routerReplicaSync() && !builder.syncs()) {
      throw new IllegalArgumentException(
          "router_replica_sync goes with a plane to sync on: replicaSync=missing");
    }
    if (config.expectsPrefillLoadModel() && builder.prefillLoadModel() == PrefillLoadModel.NONE) {
      throw new IllegalArgumentException(
          "router_prefill_load_model goes with a model: prefillLoadModel=missing");
    }
    if (!builder.queue().workerSelections().isEmpty() && !builder.hasOwnSelector()) {
      throw new IllegalArgumentException(
          "worker selections that a policy file or a variable names go with a selector of the"
              + " host, see SelectionPolicies: roles="
              + builder.queue().workerSelections().keySet()
              + ", selector=missing");
    }
  }

  /**
   * Checks that somebody knows cached prefixes, and learns them, where the configuration relies on
   * that.
   *
   * @throws IllegalStateException if nobody knows
   * @throws IllegalArgumentException if nobody learns
   */
  static void requireIndexer(KvRouterBuilder builder) {
    KvRouterConfig config = builder.config();
    KvIndexer indexer = builder.indexer();
    if (indexer == null && builder.remoteIndex() == null && config.needsOverlap()) {
      throw new IllegalStateException(
          "router needs an indexer unless overlap has no credit: overlap_score_credit="
              + config.overlapScoreCredit());
    }
    if (indexer != null && config.needsLearning() && !indexer.learnsFromDecisions()) {
      throw new IllegalArgumentException(
          "configuration needs an index that learns from decisions: use_kv_events="
              + config.useKvEvents()
              + ", router_predicted_ttl_secs="
              + config.routerPredictedTtl().map(Object::toString).orElse("none"));
    }
  }

  /**
   * Returns tokens per block.
   *
   * @param set what was set, 0 if nothing was
   */
  static int blockSize(int set, @Nullable KvIndexer indexer) {
    if (indexer == null) {
      if (set == 0) {
        throw new IllegalStateException(
            "router needs an indexer or a block size: both are missing");
      }
      return set;
    }
    if (set != 0 && indexer.blockSize() != set) {
      throw new IllegalArgumentException(
          "block sizes differ: router=" + set + ", indexer=" + indexer.blockSize());
    }
    return indexer.blockSize();
  }

  /**
   * Checks what stands in for an index elsewhere.
   *
   * @throws IllegalArgumentException if it cannot
   */
  static void requireFallback(KvRouterBuilder builder) {
    KvIndexer fallback = builder.remoteFallback();
    if (fallback != null
        && (builder.remoteIndex() == null
            || !fallback.isApproximate()
            || fallback.blockSize() != builder.blockSize())) {
      throw new IllegalArgumentException(
          "fallback goes with a remote index and learns from decisions alone: remoteIndex="
              + presence(builder.remoteIndex())
              + ", isApproximate="
              + fallback.isApproximate()
              + ", blockSize="
              + fallback.blockSize()
              + ", router="
              + builder.blockSize());
    }
  }

  private static String presence(@Nullable Object part) {
    return part == null ? "missing" : "set";
  }
}
