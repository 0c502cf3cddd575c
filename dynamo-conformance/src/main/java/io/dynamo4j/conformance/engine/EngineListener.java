// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.engine;

import io.dynamo4j.conformance.plane.PublishedEvent;
import io.dynamo4j.indexer.engine.EngineEventNormalizer;
import io.dynamo4j.wire.EngineMessage;
import io.dynamo4j.wire.WireFormatException;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Hears the messages of one publisher: with our normalizer, and with models of it and the peer. */
public final class EngineListener {

  /**
   * What one message says.
   *
   * @param ours by our normalizer
   * @param right by the model of it
   * @param peer by the model of the peer
   * @param rightWithoutRule by the model of ours without one rule
   */
  public record Heard(
      List<PublishedEvent> ours,
      List<PublishedEvent> right,
      List<PublishedEvent> peer,
      Map<String, List<PublishedEvent>> rightWithoutRule) {}

  private final long workerId;
  private final EngineEventNormalizer normalizer;
  private final ReferenceNormalizer right;
  private final ReferenceNormalizer peer;
  private final Map<String, ReferenceNormalizer> withoutRule = new LinkedHashMap<>();

  /**
   * Starts to listen.
   *
   * @param dpRank the rank of batches that name none
   */
  public EngineListener(long workerId, int blockSize, int dpRank) {
    EngineConfig config = new EngineConfig(blockSize, -1);
    this.workerId = workerId;
    this.normalizer = EngineEventNormalizer.builder(workerId, blockSize).dpRank(dpRank).build();
    this.right = new ReferenceNormalizer(config, EnumSet.allOf(Policy.class), dpRank);
    this.peer = new ReferenceNormalizer(config, Set.of(), dpRank);
    for (String rule : EngineReference.rules()) {
      withoutRule.put(rule, new ReferenceNormalizer(config, EngineReference.without(rule), dpRank));
    }
  }

  public long workerId() {
    return workerId;
  }

  /** Hears a message; one that is none says nothing to anybody. */
  public Heard hear(List<byte[]> frames) {
    byte[] payload;
    try {
      payload = EngineMessage.ofPublished(frames).payload();
    } catch (WireFormatException e) {
      return new Heard(List.of(), List.of(), List.of(), Map.of());
    }
    Map<String, List<PublishedEvent>> without = new LinkedHashMap<>();
    withoutRule.forEach((rule, model) -> without.put(rule, model.read(payload)));
    List<PublishedEvent> ours =
        normalizer.normalize(payload).stream().map(PublishedEvent::of).toList();
    return new Heard(ours, right.read(payload), peer.read(payload), without);
  }
}
