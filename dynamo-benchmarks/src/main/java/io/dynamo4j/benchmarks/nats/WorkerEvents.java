// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.nats;

import io.dynamo4j.core.model.KvCacheEvent;
import io.dynamo4j.core.model.KvCacheEventData.Stored;
import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.model.StorageTier;
import io.dynamo4j.indexer.KvEventFeed;
import io.dynamo4j.plane.EventEnvelope;
import io.dynamo4j.plane.EventScope;
import io.dynamo4j.wire.EventEnvelopeCodec;
import io.dynamo4j.wire.EventSubjects;
import io.dynamo4j.wire.RouterEventCodec;
import io.nats.client.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Messages as one worker publishes them, made beforehand. */
final class WorkerEvents {
  static final long WORKER_ID = 1;
  static final EventScope SCOPE = new EventScope.Endpoint("bench", "backend", "generate");
  private static final String SUBJECT = EventSubjects.of(SCOPE, KvEventFeed.TOPIC);

  private final List<byte[]> messages = new ArrayList<>();
  private final long blocks;

  /**
   * Makes the messages.
   *
   * @param stores events in each message, each of a sequence of its own
   * @param blocksEach blocks in each event
   */
  WorkerEvents(int count, int stores, int blocksEach) {
    SplittableRandom random = new SplittableRandom(7);
    long eventId = 0;
    for (int i = 0; i < count; i++) {
      List<RouterEvent> events = new ArrayList<>(stores);
      for (int j = 0; j < stores; j++) {
        long[] hashes = random.longs(blocksEach).toArray();
        long[] contents = random.longs(blocksEach).toArray();
        events.add(
            RouterEvent.of(
                WORKER_ID,
                StorageTier.DEVICE,
                KvCacheEvent.of(++eventId, 0, Stored.atRoot(hashes, contents))));
      }
      byte[] payload = RouterEventCodec.encode(events);
      messages.add(
          EventEnvelopeCodec.encode(EventEnvelope.of(17, i, 0, KvEventFeed.TOPIC, payload)));
    }
    this.blocks = (long) count * stores * blocksEach;
  }

  int count() {
    return messages.size();
  }

  long blocks() {
    return blocks;
  }

  long bytes() {
    return messages.stream().mapToLong(message -> message.length).sum();
  }

  static String subject() {
    return SUBJECT;
  }

  void send(Connection connection, int index) {
    connection.publish(SUBJECT, messages.get(index));
  }

  /** Sends everything on the calling thread, as fast as the client takes it. */
  void sendAll(Connection connection) {
    for (byte[] message : messages) {
      connection.publish(SUBJECT, message);
    }
  }
}
