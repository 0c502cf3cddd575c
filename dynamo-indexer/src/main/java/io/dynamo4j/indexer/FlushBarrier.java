// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;

/** Passed once every lane has come to it. Any thread. */
final class FlushBarrier {
  private final CompletableFuture<Void> passed = new CompletableFuture<>();
  private final AtomicInteger missing;

  FlushBarrier(int lanes) {
    this.missing = new AtomicInteger(lanes);
  }

  /** One lane has come to the barrier; the last one completes it. */
  void reached() {
    if (missing.decrementAndGet() == 0) {
      passed.complete(null);
    }
  }

  void closed() {
    passed.completeExceptionally(closedFailure());
  }

  static DynamoException closedFailure() {
    return new DynamoException(ErrorType.CLOSED, "index is closed");
  }

  CompletionStage<Void> stage() {
    return passed.minimalCompletionStage();
  }
}
