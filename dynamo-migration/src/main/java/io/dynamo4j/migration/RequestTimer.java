// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import io.dynamo4j.core.runtime.Cancellable;
import io.dynamo4j.core.runtime.Scheduler;
import org.jspecify.annotations.Nullable;

/**
 * All alarms of one request behind one timer of its lane.
 *
 * <p>Moving an alarm later costs a field: the armed timer finds out when it fires and arms itself
 * for the rest. Belongs to one lane.
 */
final class RequestTimer {

  /** What a request may be waiting for. */
  enum Alarm {
    /** The request has used up its time. */
    DEADLINE(0),
    /** The leading attempt does not make progress. */
    LEAD(1),
    /** The attempt beside it does not. */
    RIVAL(2),
    /** The first token is late. */
    HEDGE(3),
    /** A pause before the next attempt is over. */
    RESUME(4);

    private final int slot;

    Alarm(int slot) {
      this.slot = slot;
    }
  }

  /** Who is woken. */
  interface Owner {
    void expired(Alarm alarm);
  }

  private static final Alarm[] ALARMS = Alarm.values();

  private final Scheduler lane;
  private final Owner owner;
  private final long[] atNanos = new long[ALARMS.length];
  private int setAlarms;
  private @Nullable Cancellable armed;
  private long armedForNanos;

  RequestTimer(Scheduler lane, Owner owner) {
    this.lane = lane;
    this.owner = owner;
  }

  /** Sets or moves an alarm to a time of the lane's clock. */
  void setAt(Alarm alarm, long nanos) {
    atNanos[alarm.slot] = nanos;
    setAlarms |= bit(alarm);
    armBefore(nanos);
  }

  /** Sets or moves an alarm to {@code delayNanos} from now. */
  void setIn(Alarm alarm, long delayNanos) {
    setAt(alarm, lane.clock().nanoTime() + delayNanos);
  }

  void clear(Alarm alarm) {
    setAlarms &= ~bit(alarm);
    if (setAlarms == 0) {
      disarm();
    }
  }

  /** Clears every alarm but the deadline: nothing runs any more that they could be for. */
  void clearAttempts() {
    setAlarms &= bit(Alarm.DEADLINE);
    if (setAlarms == 0) {
      disarm();
    }
  }

  /** Clears every alarm. */
  void cancel() {
    setAlarms = 0;
    disarm();
  }

  private void disarm() {
    if (armed != null) {
      armed.cancel();
      armed = null;
    }
  }

  private void armBefore(long nanos) {
    if (armed != null) {
      if (armedForNanos - nanos <= 0) {
        return;
      }
      armed.cancel();
    }
    armedForNanos = nanos;
    armed = lane.schedule(this::fire, nanos - lane.clock().nanoTime());
  }

  private void fire() {
    if (armed == null) {
      return;
    }
    armed = null;
    long now = lane.clock().nanoTime();
    for (Alarm alarm : ALARMS) {
      if (isSet(alarm) && atNanos[alarm.slot] - now <= 0) {
        setAlarms &= ~bit(alarm);
        owner.expired(alarm);
      }
    }
    for (Alarm alarm : ALARMS) {
      if (isSet(alarm)) {
        armBefore(atNanos[alarm.slot]);
      }
    }
  }

  private boolean isSet(Alarm alarm) {
    return (setAlarms & bit(alarm)) != 0;
  }

  private static int bit(Alarm alarm) {
    return 1 << alarm.slot;
  }
}
