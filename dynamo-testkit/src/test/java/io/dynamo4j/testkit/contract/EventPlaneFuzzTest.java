// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dynamo4j.core.runtime.RandomSource;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.plane.EventEnvelope;
import io.dynamo4j.plane.EventPublisher;
import io.dynamo4j.plane.EventScope;
import io.dynamo4j.plane.EventSubscription;
import io.dynamo4j.plane.memory.InMemoryEventPlane;
import io.dynamo4j.testkit.simulation.Simulation;
import io.dynamo4j.testkit.simulation.SimulationFailure;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Random publishers and subscriptions in simulation against queues of plain text. */
class EventPlaneFuzzTest {
  private static final int SEEDS = 300;

  @Test
  void shouldAgreeWithPlainQueues() {
    Map<String, Long> facts = new TreeMap<>();
    for (long seed = 0; seed < SEEDS; seed++) {
      new Run(seed, 0).play(facts);
    }
    assertThat(facts).containsOnlyKeys("delivered", "dropped", "ignored");
    assertThat(facts.values()).allMatch(count -> count > 100);
  }

  @Test
  void shouldCatchQueueThatHoldsOneMore() {
    assertThatThrownBy(
            () -> {
              for (long seed = 0; seed < 20; seed++) {
                new Run(seed, 1).play(new TreeMap<>());
              }
            })
        .isInstanceOfAny(AssertionError.class, SimulationFailure.class);
  }

  private static final class Run {
    private final long seed;
    private final Simulation simulation;
    private final RandomSource random;
    private final int capacity;
    private final InMemoryEventPlane plane;
    private final List<Source> sources = new ArrayList<>();
    private final List<Sink> sinks = new ArrayList<>();

    Run(long seed, int excess) {
      this.seed = seed;
      this.simulation = Simulation.builder().seed(seed).maxExecuteJitterNanos(50_000).build();
      this.random = simulation.random("fuzz");
      this.capacity = 1 + random.nextInt(5);
      this.plane = InMemoryEventPlane.create(simulation.environment("bus"), capacity + excess);
    }

    void play(Map<String, Long> facts) {
      for (int i = 0; i < 5; i++) {
        sources.add(new Source(topic(random.nextInt(3)), i - 2));
      }
      for (int i = 0; i < 6; i++) {
        at(random.nextInt(30), this::subscribe);
      }
      for (int i = 0; i < 400; i++) {
        Source source = sources.get(random.nextInt(sources.size()));
        at(random.nextInt(50), () -> publish(source, facts));
      }
      simulation.run();
      for (Sink sink : sinks) {
        assertThat(sink.expected).as("undelivered, seed=%s", seed).isEmpty();
        assertThat(sink.handle.droppedCount()).as("seed=%s", seed).isEqualTo(sink.dropped);
        facts.merge("delivered", sink.delivered, Long::sum);
        facts.merge("dropped", sink.dropped, Long::sum);
      }
      plane.close();
    }

    private void at(int millis, Runnable action) {
      simulation.controller().schedule(action, millis * 1_000_000L + random.nextInt(1_000_000));
    }

    private static String topic(int number) {
      return "topic-" + number;
    }

    private void publish(Source source, Map<String, Long> facts) {
      for (int burst = 1 + random.nextInt(8); burst > 0; burst--) {
        long sequence = source.published++;
        boolean seen = false;
        for (Sink sink : sinks) {
          if (sink.topic.equals(source.topic) && sink.open) {
            sink.offer(source.id + ":" + sequence);
            seen = true;
          }
        }
        facts.merge("ignored", seen ? 0L : 1L, Long::sum);
        assertThat(source.publisher.publish(new byte[0])).isEqualTo(sequence);
      }
    }

    private void subscribe() {
      Sink sink = new Sink(topic(random.nextInt(3)));
      sinks.add(sink);
      if (random.nextInt(2) == 0) {
        at(random.nextInt(20), sink::close);
      }
    }

    private final class Source {
      final String topic;
      final long id;
      final EventPublisher publisher;
      long published;

      Source(String topic, long id) {
        this.topic = topic;
        this.id = id;
        this.publisher = plane.publisher(new EventScope.Namespace("ns"), topic, id);
      }
    }

    private final class Sink {
      final String topic;
      final ArrayDeque<String> expected = new ArrayDeque<>();
      final EventSubscription handle;
      boolean open = true;
      long dropped;
      long delivered;

      Sink(String topic) {
        this.topic = topic;
        Scheduler lane = simulation.node("reader").lane("sink-" + sinks.size());
        this.handle = plane.subscribe(new EventScope.Namespace("ns"), topic, lane, this::accept);
      }

      void offer(String event) {
        if (expected.size() < capacity) {
          expected.add(event);
        } else {
          dropped++;
        }
      }

      void accept(EventEnvelope envelope) {
        delivered++;
        assertThat(envelope.publisherId() + ":" + envelope.sequence())
            .as("seed=%s", seed)
            .isEqualTo(expected.poll());
        if (random.nextInt(40) == 0) {
          close();
        }
      }

      void close() {
        open = false;
        expected.clear();
        handle.close();
      }
    }
  }
}
