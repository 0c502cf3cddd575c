// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.contract;

import io.dynamo4j.plane.EventEnvelope;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A subscriber that keeps envelopes and notes calls outside of its lane or inline. */
final class EventProbe implements Consumer<EventEnvelope> {
  final ProbeLane lane;
  private final ConcurrentLinkedQueue<EventEnvelope> envelopes = new ConcurrentLinkedQueue<>();
  private final ConcurrentLinkedQueue<String> violations = new ConcurrentLinkedQueue<>();
  private final ConcurrentSkipListMap<Integer, CompletableFuture<Void>> milestones =
      new ConcurrentSkipListMap<>();
  private final AtomicInteger received = new AtomicInteger();
  private volatile @Nullable Thread calling;
  private volatile int throwAt;
  private volatile Runnable onReceive = () -> {};

  EventProbe(ProbeLane lane) {
    this.lane = lane;
  }

  /** Throws at the {@code n}-th envelope, from 1. */
  EventProbe throwAt(int n) {
    throwAt = n;
    return this;
  }

  /** Runs this at every envelope. */
  void onReceive(Runnable action) {
    onReceive = action;
  }

  /** Runs a call under which no envelope may be handled. */
  void call(Runnable call) {
    calling = Thread.currentThread();
    try {
      call.run();
    } finally {
      calling = null;
    }
  }

  @Override
  public void accept(EventEnvelope envelope) {
    if (!lane.isCurrent()) {
      violations.add("envelope outside of the subscription's lane");
    }
    if (calling == Thread.currentThread()) {
      violations.add("envelope inline");
    }
    envelopes.add(envelope);
    int number = received.incrementAndGet();
    onReceive.run();
    milestone(number).complete(null);
    if (number == throwAt) {
      throw new StreamProbe.PlannedException();
    }
  }

  CompletionStage<Void> received(int n) {
    CompletableFuture<Void> milestone = milestone(n);
    if (received.get() >= n) {
      milestone.complete(null);
    }
    return milestone;
  }

  private CompletableFuture<Void> milestone(int number) {
    return milestones.computeIfAbsent(number, key -> new CompletableFuture<>());
  }

  List<EventEnvelope> envelopes() {
    return List.copyOf(envelopes);
  }

  long[] sequences(long publisherId) {
    return envelopes.stream()
        .filter(e -> e.publisherId() == publisherId)
        .mapToLong(EventEnvelope::sequence)
        .toArray();
  }

  List<String> texts() {
    return envelopes.stream().map(e -> new String(e.payload(), StandardCharsets.UTF_8)).toList();
  }

  List<String> violations() {
    return List.copyOf(violations);
  }
}
