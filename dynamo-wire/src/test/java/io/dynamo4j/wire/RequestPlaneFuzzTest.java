// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.dynamo4j.core.model.FinishReason;
import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.model.StopConditions;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.testing.Mutations;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.plane.Address;
import io.dynamo4j.plane.EventChannel;
import io.dynamo4j.plane.EventScope;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Right bytes with a few wrong ones among them, on every decoder of request plane and discovery.
 */
class RequestPlaneFuzzTest {
  private static final int MUTATIONS = Mutations.count(3_000);
  private static final EventScope.Endpoint ENDPOINT =
      new EventScope.Endpoint("dynamo", "backend", "generate");

  /** Reads bytes; faults are {@link WireFormatException} or a worker's own error. */
  private interface Decoder {
    @Nullable Object decode(byte[] bytes);
  }

  /** A decoder and bytes that it takes. */
  private static final class Target {
    private final String name;
    private final byte[] right;
    private final Decoder decoder;

    Target(String name, byte[] right, Decoder decoder) {
      this.name = name;
      this.right = right;
      this.decoder = decoder;
    }

    String name() {
      return name;
    }

    byte[] right() {
      return right;
    }

    Decoder decoder() {
      return decoder;
    }
  }

  private static byte[] request() {
    return GenerateRequestCodec.encode(
        PreprocessedRequest.builder("id", TokenSlice.of(1, 2, 300, 70_000))
            .model("tiny")
            .stopConditions(
                StopConditions.builder().maxTokens(20).stop(List.of("end")).ignoreEos(true).build())
            .extensions(Map.of("annotations", List.of("a"), "routing", Map.of("dp_rank", 1L)))
            .build());
  }

  private static List<Target> targets() {
    byte[] control =
        new RequestControl("id", PayloadFormat.MSGPACK, "127.0.0.1:1", "subject").encode();
    byte[] output =
        GenerateItemCodec.encode(
            LLMEngineOutput.last(TokenSlice.of(5, 6), FinishReason.LENGTH)
                .withLogProbs(-1, -0.5, -0.5));
    EventChannel channel =
        new EventChannel(ENDPOINT, "kv-events", 7, new Address("zmq", "tcp://127.0.0.1:1"));
    DiscoveryRecord.Instance instance =
        new DiscoveryRecord.Instance(ENDPOINT, -1, new Address("tcp+msgpack", "127.0.0.1:1/x"));
    DiscoveryRecord.Source source =
        new DiscoveryRecord.Source(ENDPOINT, "kv-events", 7, new WorkerWithDpRank(1, 0), instance);
    Map<String, Object> card = new LinkedHashMap<>();
    card.put("display_name", "tiny");
    card.put("runtime_config", Map.of("data_parallel_size", 2L));
    List<Target> targets = new ArrayList<>();
    targets.add(
        new Target(
            "request frame",
            TcpRequestFrame.encode("path", new byte[0], control, request()),
            TcpRequestFrame::decode));
    targets.add(new Target("control", control, RequestControl::decode));
    targets.add(
        new Target("request", request(), bytes -> GenerateRequestCodec.decode("id", 1, bytes)));
    targets.add(new Target("item", ResponseItem.encode(output), ResponseItem::decode));
    targets.add(
        new Target("output", output, bytes -> GenerateItemCodec.decode(bytes, 0, bytes.length)));
    targets.add(
        new Target("handshake", ResponseControl.handshake("s"), ResponseControl::readHandshake));
    targets.add(
        new Target("prologue", ResponseControl.prologue(null), ResponseControl::readPrologue));
    targets.add(
        new Target(
            "item as JSON",
            PayloadFormat.JSON.fromMsgpack(output),
            RequestPlaneFuzzTest::readJsonItem));
    targets.add(
        new Target(
            "sentinel", ResponseControl.word(ResponseControl.SENTINEL), ResponseControl::readWord));
    for (DiscoveryRecord record :
        List.of(
            instance,
            source,
            new DiscoveryRecord.Channel(channel),
            new DiscoveryRecord.Model(ENDPOINT, 1, ModelCard.of(card)))) {
      targets.add(
          new Target(
              record.getClass().getSimpleName(),
              DiscoveryRecordCodec.encode(record),
              DiscoveryRecordCodec::decode));
    }
    return targets;
  }

  private static Object readJsonItem(byte[] json) {
    byte[] msgpack = PayloadFormat.JSON.toMsgpack(json);
    return GenerateItemCodec.decode(msgpack, 0, msgpack.length);
  }

  @Test
  void shouldTakeOrRefuseEveryMutationByType() {
    for (Target target : targets()) {
      assertThatCode(() -> target.decoder().decode(target.right()))
          .as(target.name())
          .doesNotThrowAnyException();
      Mutations mutations = Mutations.seeded(target.name().length());
      int refused = 0;
      for (int i = 0; i < MUTATIONS; i++) {
        byte[] mutated = mutations.of(target.right(), target.right());
        try {
          target.decoder().decode(mutated);
        } catch (WireFormatException | PeerFailureException typed) {
          refused++;
        } catch (RuntimeException | Error other) {
          throw new AssertionError(
              target.name() + ": " + new String(mutated, StandardCharsets.ISO_8859_1), other);
        }
      }
      assertThat(refused).as(target.name()).isBetween(1, MUTATIONS);
    }
  }
}
