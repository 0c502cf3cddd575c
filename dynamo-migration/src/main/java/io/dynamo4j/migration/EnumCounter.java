// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import java.util.Collections;
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

  Map<E, Long> snapshot() {
    Map<E, Long> values = new EnumMap<>(type);
    counts.forEach((constant, count) -> values.put(constant, count.get()));
    return Collections.unmodifiableMap(values);
  }
}
