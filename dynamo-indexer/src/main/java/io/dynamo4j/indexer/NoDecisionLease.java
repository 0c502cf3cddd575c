// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer;

/** A lease on nothing. */
enum NoDecisionLease implements DecisionLease {
  INSTANCE;

  @Override
  public void addOutputBlock() {}

  @Override
  public void close() {}
}
