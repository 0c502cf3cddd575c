// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.durable;

import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.plane.DurableEventLog;
import io.dynamo4j.plane.LogConsumerFacts;
import io.dynamo4j.plane.LogEntry;
import io.dynamo4j.plane.LogFacts;
import io.dynamo4j.plane.LogListener;
import io.dynamo4j.plane.LogSubscription;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** A client of a {@link SimulatedLogServer}. */
final class SimulatedEventLog implements DurableEventLog {
  private final SimulatedLink link;
  private final List<SimulatedLogReader> readers = new ArrayList<>();

  SimulatedEventLog(SimulatedLink link) {
    this.link = link;
  }

  @Override
  public CompletionStage<Long> append(String messageId, byte[] payload) {
    Objects.requireNonNull(messageId, "messageId");
    Objects.requireNonNull(payload, "payload");
    return link.call(() -> link.server().append(messageId, payload));
  }

  @Override
  public LogSubscription consume(
      String consumer, long fromSequence, Scheduler lane, LogListener listener) {
    SimulatedLogReader reader =
        new SimulatedLogReader(
            link,
            Objects.requireNonNull(consumer, "consumer"),
            fromSequence,
            Objects.requireNonNull(lane, "lane"),
            Objects.requireNonNull(listener, "listener"));
    readers.removeIf(SimulatedLogReader::isEnded);
    readers.add(reader);
    reader.start();
    return reader;
  }

  @Override
  public CompletionStage<LogFacts> facts() {
    return link.call(link.server()::facts);
  }

  @Override
  public CompletionStage<Optional<LogEntry>> entryAt(long sequence) {
    return link.call(() -> link.server().entryAt(sequence));
  }

  @Override
  public CompletionStage<List<LogConsumerFacts>> consumers() {
    return link.call(link.server()::consumers);
  }

  @Override
  public CompletionStage<Void> deleteConsumer(String consumer) {
    Objects.requireNonNull(consumer, "consumer");
    return link.call(
            () -> {
              link.server().deleteConsumer(consumer);
              return true;
            })
        .thenAccept(done -> {});
  }

  @Override
  public CompletionStage<Void> purgeThrough(long sequence) {
    return link.call(
            () -> {
              link.server().purgeThrough(sequence);
              return true;
            })
        .thenAccept(done -> {});
  }

  @Override
  public void close() {
    readers.forEach(SimulatedLogReader::close);
    link.close();
  }
}
