// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import java.util.ArrayDeque;
import java.util.Deque;

/** The last few failed attempts of one request, for the error that ends it. */
final class LossHistory {
  private static final int CAPACITY = 8;

  private final Deque<Loss> losses = new ArrayDeque<>(1);

  void add(Loss loss) {
    if (losses.size() == CAPACITY) {
      losses.removeFirst();
    }
    losses.addLast(loss);
  }

  /** Makes the client's error of the loss that decided, the others suppressed. */
  MigrationException toException(Loss decisive, int attempts, long tokensDelivered) {
    MigrationException error = decisive.toException(attempts, tokensDelivered);
    for (Loss loss : losses) {
      if (!loss.equals(decisive)) {
        error.addSuppressed(loss.failure());
      }
    }
    return error;
  }

  /** Attaches every failure to an error that none of them decided. */
  void suppressIn(MigrationException error) {
    losses.forEach(loss -> error.addSuppressed(loss.failure()));
  }
}
