// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.tcp;

import io.dynamo4j.benchmarks.Bench;
import io.dynamo4j.benchmarks.BenchOptions;
import io.dynamo4j.benchmarks.BenchResult;
import io.dynamo4j.benchmarks.BenchResult.Row;
import io.dynamo4j.benchmarks.ChecksumMismatchException;
import io.dynamo4j.benchmarks.Medians;
import java.util.List;
import java.util.Locale;

/** Tokens a second over many streams at one time, against bare Netty with the same frames. */
public final class TcpBench implements Bench {
  private static final int STREAMS = 1_000;
  private static final int ITEMS = 500;
  private static final int ROUNDS = 7;

  @Override
  public String name() {
    return "tcp";
  }

  @Override
  public String description() {
    return "tokens streamed over the TCP plane against bare Netty that writes and cuts its frames";
  }

  @Override
  public BenchResult run(BenchOptions options) {
    int streams = options.quick() ? 20 : STREAMS;
    int items = options.quick() ? 10 : ITEMS;
    Medians rates = new Medians();
    try (PlaneStreams ours = new PlaneStreams();
        BareStreams reference = new BareStreams()) {
      for (int round = 0; round < (options.quick() ? 1 : ROUNDS); round++) {
        long expected = (long) streams * items;
        long start = System.nanoTime();
        long oursCount = ours.stream(streams, items);
        long middle = System.nanoTime();
        long referenceCount = reference.stream(streams, items);
        long end = System.nanoTime();
        ChecksumMismatchException.requireEqual("tcp items", oursCount, expected);
        ChecksumMismatchException.requireEqual("tcp items", oursCount, referenceCount);
        rates.add("ours", expected * 1e9 / (middle - start));
        rates.add("reference", expected * 1e9 / (end - middle));
      }
    }
    String quantity = String.format(Locale.ROOT, "tcp tokens over %,d streams", streams);
    return new BenchResult(
        List.of(Row.higherIsBetter(quantity, rates.of("ours"), rates.of("reference"), "tokens/s")),
        List.of());
  }
}
