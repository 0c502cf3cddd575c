// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.blocking;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.dynamo4j.blocking.BlockingResponses;
import io.dynamo4j.blocking.Gate;
import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.runtime.Scheduler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** The blocking reader behaves alike wherever its thread comes from. */
abstract class BlockingResponsesContract {
  private static final long MILLI = 1_000_000;

  abstract BlockingHost newHost();

  private static List<Integer> readAll(BlockingResponses<Integer> responses) {
    List<Integer> read = new ArrayList<>();
    while (responses.hasNext()) {
      read.add(responses.next());
    }
    return read;
  }

  private static List<Integer> range(int count) {
    List<Integer> range = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      range.add(i);
    }
    return range;
  }

  @Test
  void shouldReturnEveryItemInOrderAndNeverAskForMoreThanTheWindow() {
    for (int window : new int[] {1, 2, 3, 8}) {
      try (BlockingHost host = newHost()) {
        ScriptedStream stream =
            ScriptedStream.completing(host.environment().lanes().lane("stream"), 100, 1000);
        List<Integer> read = new ArrayList<>();
        host.runClient(
            gate -> {
              try (var responses = BlockingResponses.builder(stream, gate).window(window).open()) {
                read.addAll(readAll(responses));
                assertThatThrownBy(responses::next).isInstanceOf(NoSuchElementException.class);
              }
            });
        assertThat(read).isEqualTo(range(100));
        assertThat(stream.maxDemand.get()).isLessThanOrEqualTo(window);
        assertThat(stream.cancelled).isFalse();
      }
    }
  }

  @Test
  void shouldReturnNothingWhenStreamIsEmpty() {
    try (BlockingHost host = newHost()) {
      ScriptedStream stream =
          ScriptedStream.completing(host.environment().lanes().lane("stream"), 0, 0);
      host.runClient(
          gate -> assertThat(readAll(BlockingResponses.builder(stream, gate).open())).isEmpty());
    }
  }

  @Test
  void shouldRethrowTheTypedErrorAfterTheItemsBeforeIt() {
    try (BlockingHost host = newHost()) {
      DynamoException error = new DynamoException(ErrorType.DISCONNECTED, "gone");
      ScriptedStream stream =
          ScriptedStream.failing(host.environment().lanes().lane("stream"), 5, error);
      host.runClient(
          gate -> {
            var responses = BlockingResponses.builder(stream, gate).open();
            for (int i = 0; i < 5; i++) {
              assertThat(responses.next()).isEqualTo(i);
            }
            assertThat(catchThrowable(responses::hasNext)).isSameAs(error);
            assertThat(catchThrowable(responses::next)).isSameAs(error);
          });
      assertThat(stream.cancelled).isFalse();
    }
  }

  @Test
  void shouldWrapErrorThatIsNotARuntimeException() {
    try (BlockingHost host = newHost()) {
      Exception checked = new Exception("checked");
      ScriptedStream stream =
          ScriptedStream.failing(host.environment().lanes().lane("stream"), 0, checked);
      host.runClient(
          gate ->
              assertThatThrownBy(BlockingResponses.builder(stream, gate).open()::hasNext)
                  .isInstanceOf(DynamoException.class)
                  .hasCause(checked));
    }
  }

  @Test
  void shouldCancelAndThrowWhenNoItemComesInTime() {
    try (BlockingHost host = newHost()) {
      Scheduler lane = host.environment().lanes().lane("stream");
      ScriptedStream stream = ScriptedStream.fallingSilent(lane, 1);
      host.runClient(
          gate -> {
            var responses =
                BlockingResponses.builder(stream, gate).itemTimeout(Duration.ofMillis(20)).open();
            while (stream.delivered.get() == 0) {
              waitForLane(lane, gate); // A slow machine may take longer than the timeout.
            }
            assertThat(responses.next()).isZero();
            long start = gate.clock().nanoTime();
            Throwable thrown = catchThrowable(responses::hasNext);
            assertThat(gate.clock().nanoTime() - start).isGreaterThanOrEqualTo(20 * MILLI);
            assertType(thrown, ErrorType.DEADLINE_EXCEEDED);
            assertThat(catchThrowable(responses::hasNext)).isSameAs(thrown);
          });
      assertThat(stream.cancelled).isTrue();
    }
  }

  @Test
  void shouldThrowWhenTheTotalTimeoutPassesAlthoughItemsKeepComing() {
    try (BlockingHost host = newHost()) {
      Scheduler lane = host.environment().lanes().lane("stream");
      ScriptedStream stream = ScriptedStream.completing(lane, 1_000_000, MILLI);
      host.runClient(
          gate -> {
            var responses =
                BlockingResponses.builder(stream, gate).totalTimeout(Duration.ofMillis(30)).open();
            assertType(catchThrowable(() -> readAll(responses)), ErrorType.DEADLINE_EXCEEDED);
          });
      assertThat(stream.cancelled).isTrue();
    }
  }

  @Test
  void shouldCancelWhenClosedEarlyAndRefuseToReadAfterwards() {
    try (BlockingHost host = newHost()) {
      Scheduler lane = host.environment().lanes().lane("stream");
      ScriptedStream stream = ScriptedStream.completing(lane, 1000, 0);
      host.runClient(
          gate -> {
            var responses = BlockingResponses.builder(stream, gate).window(4).open();
            assertThat(responses.next()).isZero();
            responses.close();
            responses.close();
            assertType(catchThrowable(responses::hasNext), ErrorType.CLOSED);
            assertType(catchThrowable(responses::next), ErrorType.CLOSED);
          });
      assertThat(stream.cancelled).isTrue();
    }
  }

  @Test
  void shouldCancelWhenClosedBeforeTheStreamAnswersSubscribe() {
    try (BlockingHost host = newHost()) {
      Scheduler lane = host.environment().lanes().lane("stream");
      ScriptedStream stream = ScriptedStream.completing(lane, 1000, 0);
      host.runClient(
          gate -> {
            BlockingResponses.builder(stream, gate).open().close();
            waitForLane(lane, gate);
          });
      assertThat(stream.cancelled).isTrue();
    }
  }

  @Test
  void shouldFailWhenStreamSendsMoreThanRequested() {
    try (BlockingHost host = newHost()) {
      Scheduler lane = host.environment().lanes().lane("stream");
      host.runClient(
          gate -> {
            var responses =
                BlockingResponses.<Integer>builder(
                        subscriber ->
                            lane.execute(
                                () -> {
                                  subscriber.onSubscribe(new DeafSubscription());
                                  for (int i = 0; i < 10; i++) {
                                    subscriber.onNext(i);
                                  }
                                }),
                        gate)
                    .window(4)
                    .open();
            waitForLane(lane, gate);
            assertType(catchThrowable(() -> readAll(responses)), ErrorType.BUFFER_OVERFLOW);
          });
    }
  }

  @Test
  void shouldRejectImpossibleSettings() {
    try (BlockingHost host = newHost()) {
      ScriptedStream stream =
          ScriptedStream.completing(host.environment().lanes().lane("stream"), 1, 0);
      host.runClient(
          gate -> {
            var builder = BlockingResponses.builder(stream, gate);
            assertThatThrownBy(() -> builder.window(0)).hasMessageContaining("window=0");
            assertThatThrownBy(() -> builder.itemTimeout(Duration.ZERO))
                .hasMessageContaining("itemTimeout=PT0S");
          });
    }
  }

  private static void waitForLane(Scheduler lane, Gate gate) {
    var passed = new AtomicBoolean();
    lane.execute(
        () -> {
          passed.set(true);
          gate.signal();
        });
    try {
      assertThat(gate.await(passed::get, gate.clock().nanoTime() + 60_000 * MILLI)).isTrue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void assertType(Throwable thrown, ErrorType type) {
    assertThat(thrown).isInstanceOf(DynamoException.class);
    assertThat(((DynamoException) thrown).errorType()).isEqualTo(type);
  }

  private static final class DeafSubscription implements Flow.Subscription {
    @Override
    public void request(long n) {}

    @Override
    public void cancel() {}
  }
}
