// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/** One count for each constant of an enum; counted from any thread. */
final class EnumCounter<E extends Enum<E>> {
  private final Class<E> type;
  private final Map<E, AtomicLong> counts;

  EnumCounter(Class<E> type) {
    this.type = type;
    this.counts = new EnumMap<>(type);
    for (E constant : type.getEnumConstants()) {
      counts.put(constant, new AtomicLong());
    }
  }

  void increment(E constant) {
    AtomicLong count = counts.get(constant);
    if (count != null) {
      count.incrementAndGet();
    }
  }

  long count(E constant) {
    AtomicLong count = counts.get(constant);
    return count == null ? 0 : count.get();
  }

  /** Returns a counter that begins where this one stands. */
  EnumCounter<E> copy() {
    EnumCounter<E> copy = new EnumCounter<>(type);
    counts.forEach((constant, count) -> copy.counts.put(constant, new AtomicLong(count.get())));
    return copy;
  }

  @Override
  public String toString() {
    return counts.toString();
  }
}
