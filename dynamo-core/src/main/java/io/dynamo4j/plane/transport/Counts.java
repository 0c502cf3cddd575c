// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.plane.transport;

import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;

/** One counter for each constant of an enum. Added to and read by any thread. */
public final class Counts<E extends Enum<E>> {
  private final EnumMap<E, AtomicLong> values;

  private Counts(Class<E> type) {
    values = new EnumMap<>(type);
    for (E counter : type.getEnumConstants()) {
      values.put(counter, new AtomicLong());
    }
  }

  /** Returns counters that stand at 0. */
  public static <E extends Enum<E>> Counts<E> of(Class<E> type) {
    return new Counts<>(type);
  }

  public void add(E counter) {
    add(counter, 1);
  }

  public void add(E counter, long amount) {
    of(counter).addAndGet(amount);
  }

  public long get(E counter) {
    return of(counter).get();
  }

  private AtomicLong of(E counter) {
    return Objects.requireNonNull(values.get(counter), "counter");
  }

  /** Returns every counter as it is now, in the order of the enum. */
  public Map<E, Long> snapshot() {
    Map<E, Long> snapshot = new TreeMap<>();
    values.forEach((counter, count) -> snapshot.put(counter, count.get()));
    return Collections.unmodifiableMap(snapshot);
  }
}
