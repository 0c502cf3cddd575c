// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.index;

/** What is measured of the whole indexer on one log. */
final class IndexerMeasurements {
  private final OperationLog log;
  private final IndexerSizes sizes;

  IndexerMeasurements(OperationLog log, IndexerSizes sizes) {
    this.log = log;
    this.sizes = sizes;
  }

  IndexerFigures.Apply apply() {
    return new IndexerApply(log).round();
  }

  IndexerFigures.Lookup lookups() {
    return new IndexerApply(log).lookups(sizes.passes());
  }

  IndexerFigures.Fed fed() {
    return FeedLoad.overloaded(log);
  }

  IndexerFigures.Visible visible() {
    return FeedLoad.keptUp(sizes.events());
  }

  IndexerFigures.Snapshot snapshot() {
    return new SnapshotLoad(log).round();
  }

  IndexerFigures.Recovery recovery() {
    return new RecoveryLoad(log, sizes.recoveredBlocks(), sizes.reads()).round();
  }

  IndexerFigures.Decoding decoding() {
    return DecodingCost.measure();
  }
}
