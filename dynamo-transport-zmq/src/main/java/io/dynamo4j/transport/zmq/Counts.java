// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.zmq;

import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;

/** One counter for each constant of an enum. Added to and read by any thread. */
final class Counts<E extends Enum<E>> {
  private final EnumMap<E, AtomicLong> values;

  Counts(Class<E> type) {
    values = new EnumMap<>(type);
    for (E counter : type.getEnumConstants()) {
      values.put(counter, new AtomicLong());
    }
  }

  void add(E counter) {
    add(counter, 1);
  }

  void add(E counter, long amount) {
    of(counter).addAndGet(amount);
  }

  long get(E counter) {
    return of(counter).get();
  }

  private AtomicLong of(E counter) {
    return Objects.requireNonNull(values.get(counter), "counter");
  }

  Map<E, Long> snapshot() {
    Map<E, Long> snapshot = new TreeMap<>();
    values.forEach((counter, count) -> snapshot.put(counter, count.get()));
    return Collections.unmodifiableMap(snapshot);
  }
}
