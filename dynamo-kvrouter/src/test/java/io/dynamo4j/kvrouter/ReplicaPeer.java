// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.plane.EventPublisher;
import io.dynamo4j.wire.ActiveSequenceCodec;
import io.dynamo4j.wire.ActiveSequenceEvent;
import io.dynamo4j.wire.AddedSequence;
import io.dynamo4j.wire.RouterLeaseCodec;
import io.dynamo4j.wire.RouterLeaseMessage;
import java.util.List;

/** A router or worker that says whatever a test wants. */
final class ReplicaPeer {
  private final RouterPair pair;
  final long id;
  private final EventPublisher events;
  private final EventPublisher leases;

  ReplicaPeer(RouterPair pair, long id, long publisherId) {
    this.pair = pair;
    this.id = id;
    this.events =
        pair.network
            .plane("peer")
            .publisher(RouterPair.SCOPE, ActiveSequenceCodec.TOPIC, publisherId);
    this.leases =
        pair.network.plane("peer").publisher(RouterPair.SCOPE, RouterLeaseCodec.TOPIC, publisherId);
  }

  void add(String requestId, WorkerWithDpRank worker, long prefillTokens, long... hashes) {
    send(addition(requestId, worker, prefillTokens, hashes));
  }

  ActiveSequenceEvent addition(
      String requestId, WorkerWithDpRank worker, long prefillTokens, long... hashes) {
    AddedSequence added = AddedSequence.of(hashes, true, -1, prefillTokens, -1);
    return ActiveSequenceEvent.add(requestId, worker, added, id, null);
  }

  void mark(String requestId, WorkerWithDpRank worker) {
    send(ActiveSequenceEvent.markPrefillCompleted(requestId, worker, id, null));
  }

  void free(String requestId, WorkerWithDpRank worker) {
    send(ActiveSequenceEvent.free(requestId, worker, id, null));
  }

  void send(ActiveSequenceEvent... some) {
    raw(ActiveSequenceCodec.encodeBatch(List.of(some)));
  }

  /** Sends and lets the message arrive. */
  void raw(byte[] payload) {
    events.publish(payload);
    pair.runFor(2 * RouterPair.DELAY);
  }

  void say(RouterLeaseMessage message) {
    rawLease(RouterLeaseCodec.encode(message));
  }

  void rawLease(byte[] payload) {
    leases.publish(payload);
    pair.runFor(2 * RouterPair.DELAY);
  }
}
