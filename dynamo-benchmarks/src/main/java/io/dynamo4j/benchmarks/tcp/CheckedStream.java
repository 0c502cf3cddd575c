// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.tcp;

import io.dynamo4j.core.model.LLMEngineOutput;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/** A client of {@link TcpSoak} that checks every token, and may leave early or read slowly. */
final class CheckedStream implements Flow.Subscriber<LLMEngineOutput> {
  private final int stream;
  private final int tokens;
  private final int leaveAfter;
  private final long window;
  private final CountDownLatch started;
  private final CountDownLatch ended;
  private Flow.@Nullable Subscription subscription;
  private int place;
  private boolean over;
  private volatile @Nullable String fault;

  /**
   * Makes a client.
   *
   * @param leaveAfter tokens after which it cancels, at least two; beyond {@code tokens} for never
   * @param window items that it asks for at a time
   */
  CheckedStream(
      int stream,
      int tokens,
      int leaveAfter,
      long window,
      CountDownLatch started,
      CountDownLatch ended) {
    this.stream = stream;
    this.tokens = tokens;
    this.leaveAfter = leaveAfter;
    this.window = window;
    this.started = started;
    this.ended = ended;
  }

  @Override
  public void onSubscribe(Flow.Subscription given) {
    subscription = given;
    given.request(window);
  }

  @Override
  public void onNext(LLMEngineOutput item) {
    for (int i = 0; i < item.tokenIds().length(); i++) {
      if (item.tokenIds().get(i) != TcpSoakWorker.token(stream, place)) {
        end("wrong token: stream=" + stream + ", place=" + place);
      }
      place++;
    }
    if (place == 1) {
      started.countDown();
    }
    Flow.Subscription asked = Objects.requireNonNull(subscription, "subscription");
    if (place >= leaveAfter && !over) {
      asked.cancel();
      end(null);
    } else if (place % window == 0) {
      asked.request(window);
    }
  }

  @Override
  public void onError(Throwable error) {
    end("failed: stream=" + stream + ", place=" + place + ", cause=" + error);
  }

  @Override
  public void onComplete() {
    end(place == tokens ? null : "ended early: stream=" + stream + ", place=" + place);
  }

  private void end(@Nullable String why) {
    if (over) {
      return;
    }
    over = true;
    fault = why;
    started.countDown();
    ended.countDown();
  }

  boolean leaves() {
    return leaveAfter <= tokens;
  }

  /** Returns what was wrong with it, null if nothing was. */
  @Nullable String fault() {
    return fault;
  }
}
