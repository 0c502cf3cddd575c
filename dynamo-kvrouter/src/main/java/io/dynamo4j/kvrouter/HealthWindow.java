// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/** The last samples, of a little more than a minute where they are taken regularly. */
final class HealthWindow {
  static final long SECOND = 1_000_000_000L;

  /** The least time between two samples. */
  static final long STEP_NANOS = 5 * SECOND;

  private static final int SAMPLES = 14;

  private final ArrayDeque<HealthSample> samples = new ArrayDeque<>(); // newest first

  void add(HealthSample sample) {
    samples.addFirst(sample);
    if (samples.size() > SAMPLES) {
      samples.removeLast();
    }
  }

  /** Returns the newest sample; there must be one. */
  HealthSample now() {
    return samples.getFirst();
  }

  /** Returns the newest sample that is at least so old, null if there is none. */
  @Nullable HealthSample ago(long seconds) {
    long latest = now().nanos() - seconds * SECOND;
    for (HealthSample sample : samples) {
      if (sample.nanos() - latest <= 0) {
        return sample;
      }
    }
    return null;
  }

  /** Says what must have been true of a sample. */
  interface Condition {
    boolean holds(HealthSample sample);
  }

  /** Returns whether something was true in every sample since then, of which there is one. */
  boolean always(long seconds, Condition condition) {
    HealthSample oldest = ago(seconds);
    if (oldest == null) {
      return false;
    }
    for (HealthSample sample : samples) {
      boolean isSince = sample.nanos() - oldest.nanos() >= 0;
      if (isSince && !condition.holds(sample)) {
        return false;
      }
    }
    return true;
  }

  /** Reads a counter. */
  interface Counter {
    long of(HealthSample sample);
  }

  /** Returns by how much a counter grew since then, 0 if that is not known. */
  long growth(long seconds, Counter counter) {
    HealthSample before = ago(seconds);
    return before == null ? 0 : counter.of(now()) - counter.of(before);
  }

  /** Returns whether a counter grew in two of the last three periods of ten seconds. */
  boolean keepsGrowing(Counter counter, long least) {
    int periods = 0;
    long total = 0;
    for (int from = 10; from <= 30; from += 10) {
      HealthSample older = ago(from);
      HealthSample newer = ago(from - 10);
      if (older == null || newer == null) {
        break;
      }
      long more = counter.of(newer) - counter.of(older);
      periods += more > 0 ? 1 : 0;
      total += Math.max(0, more);
    }
    return periods >= 2 && total >= least;
  }
}
