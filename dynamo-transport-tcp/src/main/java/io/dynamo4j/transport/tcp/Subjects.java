// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.tcp;

import io.dynamo4j.core.runtime.RandomSource;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Names of pending answers: 128 seeded bits each, so that a stranger who does not know the seed
 * cannot dial in on another's answer.
 *
 * <p><b>Threads.</b> Any.
 */
final class Subjects {
  private static final long STEP = 0x9e3779b97f4a7c15L;

  private final long high;
  private final long low;
  private final AtomicLong count = new AtomicLong();

  Subjects(RandomSource random) {
    this.high = random.nextLong();
    this.low = random.nextLong();
  }

  String next() {
    long step = count.getAndIncrement() * STEP;
    return new UUID(mix(high + step), mix(low ^ step)).toString();
  }

  private static long mix(long z) {
    long a = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
    long b = (a ^ (a >>> 27)) * 0x94d049bb133111ebL;
    return b ^ (b >>> 31);
  }
}
