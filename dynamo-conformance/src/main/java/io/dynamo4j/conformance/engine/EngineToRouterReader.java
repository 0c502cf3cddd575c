// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.engine;

import com.fasterxml.jackson.databind.JsonNode;
import io.dynamo4j.conformance.CaseReader;
import io.dynamo4j.conformance.Fields;
import io.dynamo4j.conformance.Replay;
import io.dynamo4j.conformance.plane.PublishedEvent;
import io.dynamo4j.indexer.engine.EngineEventNormalizer;
import io.dynamo4j.indexer.engine.EngineEventNormalizerBuilder;
import io.dynamo4j.wire.EngineMessage;
import io.dynamo4j.wire.WireFormatException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;

/**
 * A message of an engine in, the events that a worker publishes of it out.
 *
 * <p>How the worker was set up and what it had heard before is not in a case. Of the possibilities
 * that the case itself suggests, the first is taken with which the reference model of the recorded
 * peer publishes what was recorded; then ours must publish what the model of ours does.
 */
public final class EngineToRouterReader implements CaseReader {
  /** A worker counts copies; the indexing service of the same release does not. */
  private static final Set<Policy> PEER = EnumSet.of(Policy.COPIES_COUNT);

  @Override
  public String name() {
    return "engine-to-router";
  }

  @Override
  public boolean reads(JsonNode content) {
    return content.has("engine_frames") && content.has("published");
  }

  @Override
  public Replay replay(JsonNode content) {
    return replay(content, List.of());
  }

  @Override
  public Replay replay(JsonNode content, List<JsonNode> earlier) {
    Replay replay = Replay.create();
    RecordedMessages.compare(content, replay);
    List<PublishedEvent> recorded = recorded(content);
    List<byte[]> message = payloads(content);
    List<byte[]> heard = new ArrayList<>();
    for (JsonNode before : earlier) {
      if (rankOf(before) == rankOf(content)) {
        heard.addAll(payloads(before));
      }
    }
    for (EngineConfig config : Suppositions.configs(message)) {
      for (List<byte[]> history : Suppositions.histories(message, heard)) {
        if (reference(config, PEER, history, message).equals(recorded)) {
          compare(config, history, message, recorded, replay);
          return replay;
        }
      }
    }
    if (inheritsUnknownSalt(message, recorded)) {
      compareButContents(Suppositions.configs(message).get(0), heard, message, recorded, replay);
      return replay;
    }
    replay.fault("reference does not publish what was recorded: recorded=" + recorded);
    return replay;
  }

  /** A child has its parent's salt: without the parent no case tells the contents of the child. */
  private static boolean inheritsUnknownSalt(List<byte[]> message, List<PublishedEvent> recorded) {
    return recorded.stream().anyMatch(event -> event.parent() != null)
        && Suppositions.storesUnsaltedChild(message);
  }

  private static void compareButContents(
      EngineConfig config,
      List<byte[]> history,
      List<byte[]> message,
      List<PublishedEvent> recorded,
      Replay replay) {
    List<PublishedEvent> ours = ours(config, history, message);
    replay.same(
        "events but for what a salted parent would change",
        recorded.stream().map(PublishedEvent::withoutContents).toList(),
        ours.stream().map(PublishedEvent::withoutContents).toList());
    replay.same("events", reference(config, EnumSet.allOf(Policy.class), history, message), ours);
  }

  private static int rankOf(JsonNode content) {
    return content.path("configured_rank").asInt();
  }

  private static void compare(
      EngineConfig config,
      List<byte[]> history,
      List<byte[]> message,
      List<PublishedEvent> recorded,
      Replay replay) {
    Set<Policy> all = EnumSet.allOf(Policy.class);
    List<PublishedEvent> right = reference(config, all, history, message);
    List<PublishedEvent> ours = ours(config, history, message);
    replay.same("events", right, ours);
    if (!right.equals(recorded)) {
      for (Policy policy : all) {
        Set<Policy> others = EnumSet.complementOf(EnumSet.of(policy));
        if (!reference(config, others, history, message).equals(right)) {
          replay.deviation(policy.rule(), "events: recorded=" + recorded + ", ours=" + ours);
        }
      }
      if (replay.deviations().isEmpty()) {
        replay.fault("events differ for no single reason: recorded=" + recorded);
      }
    }
  }

  private static List<PublishedEvent> reference(
      EngineConfig config, Set<Policy> policies, List<byte[]> history, List<byte[]> message) {
    ReferenceNormalizer model = new ReferenceNormalizer(config, policies, 0);
    history.forEach(model::read);
    return message.stream().flatMap(payload -> model.read(payload).stream()).toList();
  }

  private static List<PublishedEvent> ours(
      EngineConfig config, List<byte[]> history, List<byte[]> message) {
    EngineEventNormalizerBuilder builder = EngineEventNormalizer.builder(1, config.blockSize());
    if (config.imageToken() >= 0) {
      builder.imageToken((int) config.imageToken());
    }
    EngineEventNormalizer normalizer = builder.build();
    history.forEach(normalizer::normalize);
    return message.stream()
        .flatMap(payload -> normalizer.normalize(payload).stream())
        .map(PublishedEvent::of)
        .toList();
  }

  /** Returns the payload of a message that is one, else nothing. */
  private static List<byte[]> payloads(JsonNode content) {
    List<byte[]> frames = new ArrayList<>();
    for (JsonNode frame : Fields.array(content, "engine_frames")) {
      frames.add(HexFormat.of().parseHex(frame.asText()));
    }
    try {
      return List.of(EngineMessage.ofPublished(frames).payload());
    } catch (WireFormatException e) {
      return List.of();
    }
  }

  private static List<PublishedEvent> recorded(JsonNode content) {
    List<PublishedEvent> events = new ArrayList<>();
    for (JsonNode message : Fields.array(content, "published")) {
      for (JsonNode event : Fields.array(message, "payload")) {
        events.add(PublishedEvent.of(event));
      }
    }
    return events;
  }
}
