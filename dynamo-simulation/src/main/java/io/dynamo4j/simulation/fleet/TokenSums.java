// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.fleet;

import io.dynamo4j.simulation.oracle.TokenChecker;

/** Adds up what the clients' checkers found. */
final class TokenSums {
  private long delivered;
  private long lost;
  private long repeated;
  private long wrong;

  void add(TokenChecker checker) {
    delivered += checker.deliveredCount();
    lost += checker.lostCount();
    repeated += checker.repeatedCount();
    wrong += checker.wrongCount();
  }

  FleetResult.TokenTotals totals() {
    return new FleetResult.TokenTotals(delivered, lost, repeated, wrong);
  }
}
