// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.interop;

import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.plane.Attempt;
import io.dynamo4j.plane.RequestPlane;
import io.dynamo4j.plane.WorkerInstance;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;

/** A client that asks a question and takes the first item for the answer. */
final class FirstItem implements Flow.Subscriber<byte[]> {
  private static final long PATIENCE_SECONDS = 60;

  private final CompletableFuture<byte[]> answer = new CompletableFuture<>();

  private FirstItem() {}

  static byte[] of(
      RequestPlane<byte[], byte[]> plane,
      WorkerInstance target,
      byte[] query,
      Environment environment)
      throws Exception {
    FirstItem first = new FirstItem();
    Attempt attempt = Attempt.builder("query", environment.lanes().lane("query")).build();
    plane.send(target, query, attempt).subscribe(first);
    return first.answer.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
  }

  @Override
  public void onSubscribe(Flow.Subscription subscription) {
    subscription.request(1);
  }

  @Override
  public void onNext(byte[] item) {
    answer.complete(item);
  }

  @Override
  public void onError(Throwable error) {
    answer.completeExceptionally(error);
  }

  @Override
  public void onComplete() {
    answer.completeExceptionally(new AssertionError("no answer"));
  }
}
