// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.threads;

import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.simulation.oracle.TokenChecker;
import java.util.Objects;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Takes a window of items at a time, checks every token, perhaps leaves. */
final class CheckingClient implements Flow.Subscriber<LLMEngineOutput> {
  private final TokenChecker checker;
  private final int window;
  private final int leavesAt;
  private final Consumer<String> report;
  private final Runnable over;
  private final AtomicInteger inside = new AtomicInteger();
  private Flow.@Nullable Subscription subscription;
  private int items;
  private boolean ended;

  /**
   * Makes a client.
   *
   * @param leavesAt items after which it cancels, 0 for never
   * @param report hears what must not be
   * @param over runs once, when nothing more comes
   */
  CheckingClient(
      TokenChecker checker, int window, int leavesAt, Consumer<String> report, Runnable over) {
    this.checker = checker;
    this.window = window;
    this.leavesAt = leavesAt;
    this.report = report;
    this.over = over;
  }

  @Override
  public void onSubscribe(Flow.Subscription given) {
    subscription = given;
    given.request(window);
  }

  @Override
  public void onNext(LLMEngineOutput item) {
    enter();
    checker.delivered(item.tokenIds());
    items++;
    if (items == leavesAt) {
      Objects.requireNonNull(subscription).cancel();
      end();
    } else if (items % window == 0) {
      Objects.requireNonNull(subscription).request(window);
    }
    inside.decrementAndGet();
  }

  @Override
  public void onError(Throwable failure) {
    enter();
    checker.failed();
    end();
    inside.decrementAndGet();
  }

  @Override
  public void onComplete() {
    enter();
    checker.completed(null);
    end();
    inside.decrementAndGet();
  }

  private void enter() {
    if (inside.getAndIncrement() != 0) {
      report.accept("signals overlap");
    }
    if (ended) {
      report.accept("signal after the end");
    }
  }

  private void end() {
    ended = true;
    if (!checker.isFaultless() && items != leavesAt) {
      report.accept("tokens are wrong: " + checker);
    }
    over.run();
  }
}
