// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.zmq;

import io.dynamo4j.core.collect.LongObjectMap;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.wire.PulledEngineEvent;
import io.dynamo4j.wire.WireFormatException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Events of an engine that hands them out on request, told as those of one that publishes: each as
 * a batch of its own under the engine's number, with holes as lost and numbers that go back as a
 * restart.
 *
 * <p>A pull that fails is counted and made again after the pause; what an engine hands out once and
 * nobody could read is lost, and shows as a hole.
 *
 * <p><b>Threads.</b> Everything on the listener's lane; {@link #close} and the counters from any.
 */
public final class PulledEngineEventSource implements AutoCloseable {
  private static final int MAX_RANKS = 4096;

  private final EngineEventPull pull;
  private final Scheduler lane;
  private final long pauseNanos;
  private final EngineEventListener listener;
  private final LongObjectMap<Numbers> ranks = LongObjectMap.create(0);
  private final AtomicLong pulls = new AtomicLong();
  private final AtomicLong failures = new AtomicLong();
  private volatile boolean closed;

  private PulledEngineEventSource(
      EngineEventPull pull, Scheduler lane, Duration pause, EngineEventListener listener) {
    this.pull = Objects.requireNonNull(pull, "pull");
    this.lane = Objects.requireNonNull(lane, "lane");
    this.pauseNanos = pause.toNanos();
    this.listener = Objects.requireNonNull(listener, "listener");
  }

  /**
   * Starts to pull.
   *
   * @param lane where {@code pull} is called and {@code listener} is told
   * @param pause from the end of one pull to the next; engines keep some thousand events
   * @throws IllegalArgumentException if the pause is not positive
   */
  public static PulledEngineEventSource open(
      EngineEventPull pull, Scheduler lane, Duration pause, EngineEventListener listener) {
    if (pause.isNegative() || pause.isZero()) {
      throw new IllegalArgumentException("pause must be positive: pause=" + pause);
    }
    PulledEngineEventSource source = new PulledEngineEventSource(pull, lane, pause, listener);
    lane.execute(source::next);
    return source;
  }

  private void next() {
    if (closed) {
      return;
    }
    pulls.incrementAndGet();
    CompletionStage<byte[]> answer;
    try {
      answer = pull.pull();
    } catch (RuntimeException e) {
      failures.incrementAndGet();
      pauseThenNext();
      return;
    }
    var unused = answer.whenComplete((json, failure) -> hop(() -> answered(json, failure)));
  }

  private void hop(Runnable task) {
    try {
      lane.execute(task);
    } catch (RejectedExecutionException laneClosed) {
      closed = true;
    }
  }

  private void answered(byte @Nullable [] json, @Nullable Throwable failure) {
    try {
      if (failure == null && json != null) {
        tellAll(PulledEngineEvent.read(json));
      } else {
        failures.incrementAndGet();
      }
    } catch (WireFormatException e) {
      failures.incrementAndGet();
    } finally {
      pauseThenNext();
    }
  }

  private void pauseThenNext() {
    if (!closed) {
      var unused = lane.schedule(this::next, pauseNanos);
    }
  }

  private void tellAll(List<PulledEngineEvent> events) {
    for (PulledEngineEvent event : events) {
      if (closed) {
        return;
      }
      tell(event);
    }
  }

  private void tell(PulledEngineEvent event) {
    int dpRank = event.dpRank();
    Numbers numbers = ranks.get(dpRank);
    if (numbers == null) {
      if (ranks.size() == MAX_RANKS) {
        failures.incrementAndGet();
        return;
      }
      numbers = new Numbers();
      ranks.put(dpRank, numbers);
    }
    long id = event.hasId() ? event.eventId() : numbers.next;
    if (numbers.started && Long.compareUnsigned(id, numbers.next) < 0) {
      listener.restarted(dpRank);
      numbers.next = 0;
    }
    if (id != numbers.next) {
      listener.lost(dpRank, numbers.next, id - 1);
    }
    numbers.started = true;
    numbers.next = id + 1;
    listener.batch(dpRank, id, event.batch());
  }

  /** Returns how often the engine was asked. */
  public long pullCount() {
    return pulls.get();
  }

  /** Returns how many answers failed or could not be read. */
  public long failureCount() {
    return failures.get();
  }

  /** Ends pulling; after a close on the lane nothing more is told. Idempotent. */
  @Override
  public void close() {
    closed = true;
  }

  /** Where one rank is. */
  private static final class Numbers {
    boolean started;
    long next;
  }
}
