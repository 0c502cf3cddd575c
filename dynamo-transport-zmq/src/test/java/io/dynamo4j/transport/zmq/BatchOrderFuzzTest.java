// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.zmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * Random engines that lose, restart, forget and fall silent against what must hold of any of them:
 * each segment between two restarts comes from one life, holds each number once and in order or
 * reports it lost, and in the end everything that the engine still has is known.
 */
class BatchOrderFuzzTest {
  private static final int RUNS = 4000;

  @Test
  void shouldKeepOrderWhateverTheEngineDoes() {
    for (int seed = 0; seed < RUNS; seed++) {
      String breach = new Engine(seed, true).play();
      assertThat(breach).as("seed=%s", seed).isEmpty();
    }
  }

  @Test
  void shouldCatchAnOrderThatIsNotToldOfNewConnections() {
    for (int seed = 0; seed < RUNS; seed++) {
      if (!new Engine(seed, false).play().isEmpty()) {
        return;
      }
    }
    fail("no run has noticed that lives were mixed");
  }

  /** An engine, its ring, its losses, and the judge of what becomes of them. */
  private static final class Engine implements BatchOrder.Sink {
    private final SplittableRandom random;
    private final boolean tellsConnections;
    private final int ringSize;
    private final BatchOrder order = new BatchOrder(this, true);
    private final List<String> published = new ArrayList<>();
    private int life;

    private boolean asked;
    private int askedFrom;
    private int fruitless;
    private String segmentLife = "";
    private long expected;
    private String breach = "";

    Engine(int seed, boolean tellsConnections) {
      random = new SplittableRandom(seed);
      ringSize = 1 + random.nextInt(12);
      this.tellsConnections = tellsConnections;
    }

    String play() {
      order.connected();
      for (int i = 0; i < 80 && breach.isEmpty(); i++) {
        step();
      }
      settle();
      if (breach.isEmpty() && !published.isEmpty() && order.next() != published.size()) {
        breach = "next is " + order.next() + ", published are " + published.size();
      }
      return breach;
    }

    private void step() {
      switch (random.nextInt(12)) {
        case 0 -> restart();
        case 1 -> reconnect();
        case 2, 3, 4 -> answer(random.nextInt(4) > 0);
        default -> publish(random.nextInt(5) > 0);
      }
    }

    private void publish(boolean arrives) {
      published.add(life + ":" + published.size());
      if (arrives) {
        int last = published.size() - 1;
        order.live(last, bytes(published.get(last)));
      }
    }

    private void restart() {
      life++;
      published.clear();
      asked = false;
      reconnect();
    }

    private void reconnect() {
      if (tellsConnections) {
        order.connected();
      }
    }

    /** Replays; a slow reader gets only some of it, perhaps without the end. */
    private void answer(boolean whole) {
      if (!asked) {
        return;
      }
      boolean progress = false;
      int first = Math.max(askedFrom, published.size() - ringSize);
      for (int i = Math.max(0, first); i < published.size(); i++) {
        if (whole || random.nextInt(3) > 0) {
          int before = askedFrom;
          order.replayed(i, bytes(published.get(i)));
          progress = true;
          if (!asked || askedFrom != before) {
            return; // A request of its own; the rest of this one is of no interest.
          }
        }
      }
      if (whole || random.nextBoolean()) {
        order.replayEnded();
      } else if (progress || fruitless++ < 1) {
        order.replayTimedOut();
      }
    }

    private void settle() {
      publish(true);
      for (int i = 0; i < 1000 && asked; i++) {
        answer(true);
      }
      if (asked) {
        breach = "asks for ever";
      }
    }

    @Override
    public void batch(long sequence, byte[] payload, boolean replayed) {
      String text = new String(payload, StandardCharsets.UTF_8);
      String of = text.substring(0, text.indexOf(':'));
      if (!text.equals(of + ":" + sequence)) {
        breach = "number " + sequence + " for " + text;
      }
      if (!segmentLife.isEmpty() && !segmentLife.equals(of)) {
        breach = "life " + of + " in a segment of " + segmentLife;
      }
      if (sequence != expected) {
        breach = "number " + sequence + ", expected " + expected;
      }
      segmentLife = of;
      expected = sequence + 1;
    }

    @Override
    public void restarted() {
      segmentLife = "";
      expected = 0;
    }

    @Override
    public void lost(long first, long last) {
      if (first != expected || last < first) {
        breach = "lost " + first + "-" + last + ", expected " + expected;
      }
      expected = last + 1;
    }

    @Override
    public void askReplay(long from) {
      asked = true;
      askedFrom = (int) from;
    }

    @Override
    public void endReplay() {
      asked = false;
      fruitless = 0;
    }

    private static byte[] bytes(String text) {
      return text.getBytes(StandardCharsets.UTF_8);
    }
  }
}
