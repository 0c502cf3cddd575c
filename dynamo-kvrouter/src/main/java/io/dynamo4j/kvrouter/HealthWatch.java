// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.kvrouter.FoundFaults.Fault;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.slf4j.Logger;

/**
 * Looks at a router from time to time and remembers what it found.
 *
 * <p>A look is taken when a request comes or somebody asks, at most one in {@link
 * HealthWindow#STEP_NANOS}: a router that does nothing has no timer.
 *
 * <p><b>Threads.</b> Any. What requests cause runs on a lane of its own.
 */
final class HealthWatch {
  private static final List<HealthCheck> CHECKS =
      List.of(
          new SilenceCheck(),
          new HashCheck(),
          new EventFaultCheck(),
          new SourceCheck(),
          new RouterCheck());

  private final Supplier<HealthSample> sampler;
  private final Scheduler lane;
  private final InstantSource wallClock;
  private final Logger log;
  private final AtomicBoolean isDue = new AtomicBoolean();
  private final AtomicBoolean hasFailed = new AtomicBoolean();
  private volatile long nextLookNanos;

  private final ReentrantLock lock = new ReentrantLock();
  private final HealthWindow window = new HealthWindow(); // lock
  private Map<Known, HealthFinding> known = new LinkedHashMap<>(); // lock
  private RouterHealth last = new RouterHealth(Instant.EPOCH, List.of()); // lock

  /** What makes two findings the same one. */
  private record Known(HealthKind kind, String subject) {}

  /**
   * Begins to watch.
   *
   * @param sampler takes the locks it needs, none of which is held here by others
   */
  HealthWatch(Supplier<HealthSample> sampler, Scheduler lane, InstantSource wallClock, Logger log) {
    this.log = log;
    this.sampler = sampler;
    this.lane = lane;
    this.wallClock = wallClock;
    this.nextLookNanos = lane.clock().nanoTime();
  }

  /** Has a look taken soon if the last one is old. */
  void requestCame(long nowNanos) {
    if (nowNanos - nextLookNanos >= 0 && isDue.compareAndSet(false, true)) {
      try {
        lane.execute(this::lookOnLane);
      } catch (RejectedExecutionException environmentClosed) {
        log.debug("router is not looked at any more");
      }
    }
  }

  /** A part of the host's that throws at a look spoils no more than that look. */
  private void lookOnLane() {
    try {
      health();
    } catch (Throwable failure) {
      if (hasFailed.compareAndSet(false, true)) {
        log.warn("router cannot be looked at, further failures are not logged", failure);
      }
    }
  }

  /** Looks if the last look is old, and returns what is known then. */
  RouterHealth health() {
    lock.lock();
    try {
      long now = lane.clock().nanoTime();
      if (now - nextLookNanos >= 0) {
        nextLookNanos = now + HealthWindow.STEP_NANOS;
        look();
      }
      return last;
    } finally {
      isDue.set(false);
      lock.unlock();
    }
  }

  private void look() {
    window.add(sampler.get());
    FoundFaults found = new FoundFaults();
    CHECKS.forEach(check -> check.check(window, found));
    Instant now = wallClock.instant();
    Map<Known, HealthFinding> before = known;
    known = new LinkedHashMap<>();
    for (Fault fault : found.list()) {
      Known key = new Known(fault.kind(), fault.subject());
      HealthFinding old = before.get(key);
      HealthFinding finding =
          new HealthFinding(
              fault.kind(),
              fault.subject(),
              fault.worker(),
              old == null ? now : old.since(),
              fault.evidence());
      known.put(key, finding);
      if (old == null) {
        appeared(finding);
      }
    }
    before.forEach(
        (key, finding) -> {
          if (!known.containsKey(key)) {
            log.info("over: {}, since={}", key.subject(), finding.since());
          }
        });
    last = new RouterHealth(now, sorted());
  }

  private void appeared(HealthFinding finding) {
    if (finding.kind().isFault()) {
      log.warn("{}", finding);
    } else {
      log.info("{}", finding);
    }
  }

  private List<HealthFinding> sorted() {
    List<HealthFinding> findings = new ArrayList<>(known.values());
    findings.sort(Comparator.comparing(HealthFinding::kind).thenComparing(HealthFinding::subject));
    return findings;
  }
}
