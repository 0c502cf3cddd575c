// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.engine;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.TreeMap;

/**
 * The scheduling rules once more, for one worker and in plain collections: blocks are numbers, time
 * is double milliseconds, nothing is preempted ({@link #overcommitted} tells when it should have
 * been).
 */
final class ReferenceScheduler {
  /** Ways to be wrong, to show that a comparison notices. */
  enum Flaw {
    NONE,
    BLOCKS_VISIBLE_LATE,
    RELEASE_HEAD_FIRST,
    WHOLE_PROMPT_REUSED,
    EVICT_NEWEST
  }

  static final class Row {
    final double arrivalMillis;
    final int input;
    final int output;
    final long[] blocks;
    int cached = -1;
    double firstTokenMillis;
    double lastTokenMillis;
    private int computed;
    private int generated;
    private int tail;
    private final List<Long> own = new ArrayList<>();

    Row(double arrivalMillis, int input, int output, long[] blocks) {
      this.arrivalMillis = arrivalMillis;
      this.input = input;
      this.output = output;
      this.blocks = blocks;
    }
  }

  private record Planned(Row row, int chunk) {}

  private final MockEngineConfig config;
  private final Flaw flaw;
  private final LinkedHashSet<Long> idle = new LinkedHashSet<>();
  private final TreeMap<Long, Integer> pinned = new TreeMap<>();
  private final ArrayDeque<Row> waiting = new ArrayDeque<>();
  private final List<Row> running = new ArrayList<>();
  private final List<Runnable> late = new ArrayList<>();
  private List<Planned> plan = List.of();
  private int tail;
  private long nextUnique = -1;
  boolean overcommitted;

  ReferenceScheduler(MockEngineConfig config, Flaw flaw) {
    this.config = config;
    this.flaw = flaw;
  }

  /** Serves rows in the order of their arrival. */
  void run(List<Row> rows) {
    ArrayDeque<Row> arrivals = new ArrayDeque<>(rows);
    double stepEnd = Double.POSITIVE_INFINITY;
    while (!arrivals.isEmpty() || stepEnd < Double.POSITIVE_INFINITY) {
      double now = stepEnd;
      if (!arrivals.isEmpty() && arrivals.peek().arrivalMillis <= stepEnd) {
        now = arrivals.peek().arrivalMillis;
        while (!arrivals.isEmpty() && arrivals.peek().arrivalMillis == now) {
          waiting.add(arrivals.poll());
        }
      }
      if (now == stepEnd) {
        endStep(now);
        stepEnd = Double.POSITIVE_INFINITY;
      }
      if (stepEnd == Double.POSITIVE_INFINITY) {
        double millis = startStep();
        stepEnd = millis > 0 ? now + millis : Double.POSITIVE_INFINITY;
      }
    }
  }

  private double startStep() {
    plan = new ArrayList<>();
    int budget = config.maxBatchedTokens();
    long prefill = 0;
    long decode = 0;
    overcommitted |= pinned.size() + tail > config.capacityBlocks();
    for (Row row : running) {
      if (budget <= 0) {
        break;
      }
      int rest = row.input - row.computed;
      int chunk = Math.min(rest, budget);
      plan.add(new Planned(row, chunk));
      if (rest > 0) {
        commitPlanned(row, chunk);
      } else {
        decode += row.input + row.generated;
      }
      prefill += chunk;
      budget -= Math.max(1, chunk);
    }
    while (!waiting.isEmpty() && budget > 0 && running.size() < config.maxSequences()) {
      Row row = waiting.peek();
      if (!admit(row)) {
        break;
      }
      waiting.remove();
      running.add(row);
      int chunk = Math.min(row.input - row.computed, budget);
      plan.add(new Planned(row, chunk));
      commitPlanned(row, chunk);
      prefill += chunk;
      budget -= chunk;
    }
    return config.stepTime().millis(prefill, decode, config.capacityTokens());
  }

  private void commitPlanned(Row row, int chunk) {
    int upTo = (row.computed + chunk) / config.blockSize();
    if (flaw == Flaw.BLOCKS_VISIBLE_LATE) {
      late.add(() -> commit(row, upTo));
    } else {
      commit(row, upTo);
    }
  }

  private boolean admit(Row row) {
    int blockSize = config.blockSize();
    int reusable = (flaw == Flaw.WHOLE_PROMPT_REUSED ? row.input : row.input - 1) / blockSize;
    int matched = 0;
    int matchedIdle = 0;
    while (matched < reusable
        && (idle.contains(row.blocks[matched]) || pinned.containsKey(row.blocks[matched]))) {
      matchedIdle += idle.contains(row.blocks[matched]) ? 1 : 0;
      matched++;
    }
    int need = (row.input + blockSize - 1) / blockSize - matched;
    if (need > config.capacityBlocks() - pinned.size() - tail - matchedIdle) {
      return false;
    }
    row.cached = matched * blockSize;
    row.computed = row.cached;
    for (int i = 0; i < matched; i++) {
      row.own.add(row.blocks[i]);
      take(row.blocks[i]);
    }
    row.tail = need;
    tail += need;
    evict();
    return true;
  }

  private void endStep(double now) {
    late.forEach(Runnable::run);
    late.clear();
    for (Planned planned : plan) {
      Row row = planned.row();
      row.computed += planned.chunk();
      if (row.computed < row.input) {
        continue;
      }
      if (++row.generated == 1) {
        row.firstTokenMillis = now;
      }
      commit(row, (row.input + row.generated - 1) / config.blockSize());
      int need = (row.input + row.generated + config.blockSize() - 1) / config.blockSize();
      int more = Math.max(0, need - row.own.size() - row.tail);
      row.tail += more;
      tail += more;
      if (row.generated >= row.output) {
        row.lastTokenMillis = now;
        release(row);
      }
    }
    evict();
  }

  private void commit(Row row, int upTo) {
    for (int i = row.own.size(); i < upTo; i++) {
      long block = i < row.input / config.blockSize() ? row.blocks[i] : nextUnique--;
      row.own.add(block);
      take(block);
      row.tail--;
      tail--;
    }
  }

  private void release(Row row) {
    running.remove(row);
    tail -= row.tail;
    int count = row.own.size();
    for (int i = 0; i < count; i++) {
      drop(row.own.get(flaw == Flaw.RELEASE_HEAD_FIRST ? i : count - 1 - i));
    }
  }

  private void take(long block) {
    idle.remove(block);
    pinned.merge(block, 1, Integer::sum);
  }

  private void drop(long block) {
    if (pinned.merge(block, -1, Integer::sum) == 0) {
      pinned.remove(block);
      idle.add(block);
    }
  }

  private void evict() {
    while (!idle.isEmpty() && idle.size() + pinned.size() + tail > config.capacityBlocks()) {
      List<Long> order = new ArrayList<>(idle);
      idle.remove(flaw == Flaw.EVICT_NEWEST ? order.get(order.size() - 1) : order.get(0));
    }
  }
}
