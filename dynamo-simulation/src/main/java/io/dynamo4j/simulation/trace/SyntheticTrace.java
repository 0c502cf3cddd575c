// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.trace;

import io.dynamo4j.core.runtime.RandomSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * Generates traces shaped like a conversation service: everybody shares a first block, few system
 * prompts are shared by many conversations, and a conversation's next prompt contains its last one,
 * the answer to it and something new.
 *
 * <p>Lengths are log-normal with long tails, conversations arrive as a Poisson process, turns
 * follow the reading of the answer and a pause. Equal seeds and counts give equal rows on every
 * machine.
 */
public final class SyntheticTrace {
  private static final int BLOCK = TraceReader.MOONCAKE_BLOCK_SIZE;
  private static final int MAX_INPUT = 120_000;
  private static final int MAX_OUTPUT = 2_000;
  private static final int SYSTEM_PROMPTS = 24;
  private static final double MILLIS_BETWEEN_CONVERSATIONS = 540;
  private static final double CONTINUE_PROBABILITY = 0.45;
  private static final double MILLIS_PER_OUTPUT_TOKEN = 15;
  private static final double MEAN_PAUSE_MILLIS = 25_000;

  private final RandomSource random;
  private final int[] systemPromptBlocks = new int[SYSTEM_PROMPTS];
  private final long[] systemPromptFirstId = new long[SYSTEM_PROMPTS];
  private long nextId = 1;

  private SyntheticTrace(long seed) {
    this.random = RandomSource.seeded(seed).split("synthetic-trace");
    for (int i = 0; i < SYSTEM_PROMPTS; i++) {
      systemPromptBlocks[i] = 1 + random.nextInt(12);
      systemPromptFirstId[i] = nextId;
      nextId += systemPromptBlocks[i];
    }
  }

  /**
   * Generates a trace for blocks of {@link TraceReader#MOONCAKE_BLOCK_SIZE} tokens.
   *
   * @param requests number of rows, at least 1
   */
  public static List<TraceRow> generate(long seed, int requests) {
    if (requests < 1) {
      throw new IllegalArgumentException("requests must be positive: requests=" + requests);
    }
    return new SyntheticTrace(seed).rows(requests);
  }

  /** Conversations go on beyond the cut, so that the trace does not thin out at its end. */
  private List<TraceRow> rows(int requests) {
    List<TraceRow> rows = new ArrayList<>();
    double startMillis = 0;
    double enoughAtMillis = Double.MAX_VALUE;
    while (startMillis < enoughAtMillis) {
      addConversation(rows, startMillis);
      startMillis += exponential(MILLIS_BETWEEN_CONVERSATIONS);
      if (enoughAtMillis == Double.MAX_VALUE && rows.size() >= requests) {
        rows.sort(Comparator.comparingDouble(TraceRow::timestampMillis));
        enoughAtMillis = rows.get(requests - 1).timestampMillis();
      }
    }
    rows.sort(Comparator.comparingDouble(TraceRow::timestampMillis));
    return new ArrayList<>(rows.subList(0, requests));
  }

  private void addConversation(List<TraceRow> rows, double startMillis) {
    int system = skewed(SYSTEM_PROMPTS);
    Ids ids = new Ids();
    ids.add(0);
    for (int i = 0; i < systemPromptBlocks[system]; i++) {
      ids.add(systemPromptFirstId[system] + i);
    }
    double context = ids.count * (double) BLOCK;
    double millis = startMillis;
    do {
      int input = (int) Math.min(MAX_INPUT, context + 1 + logNormal(2_700, 1.35));
      int output = (int) Math.min(MAX_OUTPUT, 1 + logNormal(260, 0.9));
      rows.add(row(millis, input, output, ids));
      context = (double) input + output;
      millis += output * MILLIS_PER_OUTPUT_TOKEN + exponential(MEAN_PAUSE_MILLIS);
    } while (context < MAX_INPUT && random.nextDouble() < CONTINUE_PROBABILITY);
  }

  /** The full blocks stay with the conversation, the partial last one is this row's alone. */
  private TraceRow row(double millis, int input, int output, Ids ids) {
    int fullBlocks = input / BLOCK;
    while (ids.count < fullBlocks) {
      ids.add(nextId++);
    }
    boolean hasRest = input % BLOCK > 0;
    long[] hashIds = ids.copy(fullBlocks, hasRest ? 1 : 0);
    if (hasRest) {
      hashIds[fullBlocks] = nextId++;
    }
    return TraceRow.of(Math.floor(millis), input, output, hashIds);
  }

  /** Returns an index that is the smaller the likelier. */
  private int skewed(int bound) {
    double u = random.nextDouble();
    return (int) (bound * u * u);
  }

  private double exponential(double mean) {
    return -mean * StrictMath.log(1 - random.nextDouble());
  }

  private double logNormal(double median, double sigma) {
    double radius = StrictMath.sqrt(-2 * StrictMath.log(1 - random.nextDouble()));
    double normal = radius * StrictMath.cos(2 * Math.PI * random.nextDouble());
    return median * StrictMath.exp(sigma * normal);
  }

  /** The block ids of one conversation so far. */
  private static final class Ids {
    private long[] ids = new long[16];
    private int count;

    void add(long id) {
      if (count == ids.length) {
        ids = Arrays.copyOf(ids, count * 2);
      }
      ids[count++] = id;
    }

    long[] copy(int length, int more) {
      long[] copy = new long[length + more];
      System.arraycopy(ids, 0, copy, 0, length);
      return copy;
    }
  }
}
