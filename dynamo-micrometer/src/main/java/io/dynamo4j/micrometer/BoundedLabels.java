// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.micrometer;

import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Label values that come from outside, made few and short: the first distinct ones are kept, all
 * later ones share {@value #OTHER}.
 *
 * <p>Thread-safe. Cost of a known value: one lookup among few, no allocation.
 */
final class BoundedLabels {
  static final String OTHER = "other";
  static final String NONE = "unknown";

  private static final int MAX_CHARS = 200;

  private final int most;
  private final AtomicInteger kept = new AtomicInteger();
  private final ConcurrentSkipListSet<String> labels = new ConcurrentSkipListSet<>();

  BoundedLabels(int most) {
    this.most = most;
  }

  /** Returns the label of a value: itself, cut if it is long, or what the many share. */
  String labelOf(String value) {
    if (value.isEmpty()) {
      return NONE;
    }
    String name = value.length() <= MAX_CHARS ? value : value.substring(0, MAX_CHARS);
    if (labels.contains(name)) {
      return name;
    }
    return admit(name) ? name : OTHER;
  }

  /** Lets a new value in while there is room. */
  private boolean admit(String name) {
    if (kept.getAndUpdate(count -> Math.min(most, count + 1)) >= most) {
      return false;
    }
    if (!labels.add(name)) {
      kept.decrementAndGet(); // another thread was first
    }
    return true;
  }
}
