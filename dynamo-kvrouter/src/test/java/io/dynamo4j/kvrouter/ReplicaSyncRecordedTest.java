// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.testing.SharedData;
import io.dynamo4j.wire.ActiveSequenceEvent;
import io.dynamo4j.wire.AddedSequence;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Plays what a recorded router sent to ours, which must see what the recorded peer saw. */
class ReplicaSyncRecordedTest {
  /** What a query of one block adds to every recorded load: its tokens and its block. */
  private static final WorkerLoad QUERY = new WorkerLoad(4, 1, 0);

  private final RouterPair pair = new RouterPair(1, 2, true);
  private final KvRouter router = pair.start("a");
  private final Map<String, ReplicaPeer> senders = new TreeMap<>();

  @ParameterizedTest
  @ValueSource(strings = {"replica-sync-nats", "replica-sync-zmq"})
  void shouldSeeWhatTheRecordedPeerSaw(String file) throws IOException {
    JsonNode run =
        new ObjectMapper()
            .readTree(Files.readString(SharedData.golden("router-runs/" + file + ".json")))
            .get("S1");
    List<JsonNode> messages = inOrder(run.get("messages"));
    List<JsonNode> steps = new ArrayList<>();
    run.get("steps").forEach(steps::add);
    assertThat(messages).hasSameSizeAs(steps);
    for (int i = 0; i < steps.size(); i++) {
      send(messages.get(i));
      assertThat(load(steps.get(i), "w0")).isEqualTo(router.load(rank("w0")));
      assertThat(load(steps.get(i), "w1")).isEqualTo(router.load(rank("w1")));
      if (steps.get(i).get("op").asText().startsWith("same id")) {
        assertThatThrownBy(
                () -> router.trySelect(RouterFixture.request("c", RouterFixture.tokens(0, 16))))
            .isInstanceOf(DynamoException.class);
      }
    }
    pair.checkInvariants();
    assertThat(router.bookingCount()).isZero();
  }

  /** Single events in the order of their steps: the other router's only one ends request b. */
  private static List<JsonNode> inOrder(JsonNode messages) {
    List<JsonNode> events = new ArrayList<>();
    for (JsonNode message : messages) {
      JsonNode payload = message.get("payload");
      if (payload.has("events")) {
        payload.get("events").forEach(events::add);
      } else {
        events.add(payload);
      }
    }
    List<JsonNode> ordered = new ArrayList<>();
    for (String name : List.of("a", "b")) {
      ordered.add(find(events, name, "AddRequest"));
    }
    ordered.add(find(events, "a", "MarkPrefillCompleted"));
    ordered.add(find(events, "a", "Free"));
    ordered.add(find(events, "b", "Free"));
    ordered.add(find(events, "c", "AddRequest"));
    ordered.add(find(events, "c", "Free"));
    return ordered;
  }

  private static JsonNode find(List<JsonNode> events, String requestId, String kind) {
    return events.stream()
        .filter(event -> event.get("request_id").asText().equals(requestId))
        .filter(event -> event.get("data").asText().equals(kind) || event.get("data").has(kind))
        .findFirst()
        .orElseThrow();
  }

  private void send(JsonNode event) {
    String routerId = event.get("router_id").asText();
    ReplicaPeer sender =
        senders.computeIfAbsent(
            routerId,
            id -> new ReplicaPeer(pair, Long.parseUnsignedLong(id), 100 + senders.size()));
    String requestId = event.get("request_id").asText();
    WorkerWithDpRank worker = rank(event.get("worker").get("worker_id").asText());
    JsonNode data = event.get("data");
    if (data.isObject()) {
      JsonNode added = data.get("AddRequest");
      List<Long> hashes = new ArrayList<>();
      added.get("token_sequence").forEach(h -> hashes.add(Long.parseUnsignedLong(h.asText())));
      sender.send(
          ActiveSequenceEvent.add(
              requestId,
              worker,
              AddedSequence.of(
                  hashes.stream().mapToLong(Long::longValue).toArray(),
                  true,
                  -1,
                  added.get("prefill_load_hint").get("initial_effective_prefill_tokens").asLong(),
                  -1),
              sender.id,
              null));
    } else if (data.asText().equals("Free")) {
      sender.free(requestId, worker);
    } else {
      sender.mark(requestId, worker);
    }
  }

  private static WorkerLoad load(JsonNode step, String label) {
    JsonNode figures = step.get("r1").get(label);
    return new WorkerLoad(
        figures.get(0).asLong() - QUERY.prefillTokens(),
        figures.get(1).asLong() - QUERY.blocks(),
        figures.get(2).asInt());
  }

  private static WorkerWithDpRank rank(String label) {
    return RouterFixture.worker(1 + Integer.parseInt(label.substring(1)));
  }
}
