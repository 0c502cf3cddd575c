// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.index;

import io.dynamo4j.indexer.KvIndexer;
import io.dynamo4j.indexer.RecoveryConfig;
import io.dynamo4j.plane.EventPlane;
import io.dynamo4j.plane.RequestPlane;

/** The public seams of a router's feed, where something may be put between. Nothing by default. */
public interface IndexSeams {

  /** Between sources and the feed, behind all faults. */
  default EventPlane events(EventPlane plane) {
    return plane;
  }

  /** Between the feed and those that it asks, before all faults. */
  default RequestPlane<byte[], byte[]> recovery(RequestPlane<byte[], byte[]> plane) {
    return plane;
  }

  /** Between the feed and the index. */
  default KvIndexer indexer(KvIndexer indexer) {
    return indexer;
  }

  /** How the feed asks. */
  default RecoveryConfig config(RecoveryConfig config) {
    return config;
  }
}
