// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.interop;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A Dynamo router that keeps no index and asks two of ours. Its frontend says which worker it
 * chose.
 */
class ServedIndexIT {
  private static final int CONVERSATIONS = 12;
  private static final int FIRST_BLOCKS = 8;

  @TempDir Path work;

  private final HttpClient client = HttpClient.newHttpClient();

  @Test
  void shouldRouteByOurIndexAlsoWhenOneServerIsGone() throws Exception {
    String[] options = {"--workers", "3", "--frontend-args=--use-remote-indexer"};
    try (Fleet fleet = Fleet.start(work, options);
        KvFollower one = new KvFollower(fleet.root());
        KvFollower other = new KvFollower(fleet.root());
        IndexServer first = IndexServer.of(one, 0x51L);
        IndexServer second = IndexServer.of(other, 0x52L)) {
      one.awaitWorkers(3);
      other.awaitWorkers(3);
      String frontend = fleet.addFrontend();

      List<String> chosen = turn(frontend, 0, 1);
      assertThat(new TreeSet<>(chosen)).hasSizeGreaterThan(1);
      for (KvFollower follower : List.of(one, other)) {
        Awaitility.await()
            .atMost(Duration.ofSeconds(60))
            .until(() -> follower.indexer().status().blocks() >= CONVERSATIONS * FIRST_BLOCKS);
        follower.awaitEqualToDumps();
      }
      assertThat(turn(frontend, 0, 2)).isEqualTo(chosen);
      assertThat(first.answered()).isPositive();
      assertThat(second.answered()).isPositive();

      long answered = second.answered();
      List<CompletableFuture<HttpResponse<String>>> underWay = new ArrayList<>();
      for (int i = 0; i < 4 * CONVERSATIONS; i++) {
        underWay.add(
            client.sendAsync(
                request(frontend, i % CONVERSATIONS, 2), HttpResponse.BodyHandlers.ofString()));
        if (i == CONVERSATIONS) {
          first.crash();
        }
      }
      // Dynamo's router asks once: what it asks the server that went, which is at most every
      // second request, is lost, and no more.
      int whole = 0;
      for (CompletableFuture<HttpResponse<String>> each : underWay) {
        int status = each.get().statusCode();
        assertThat(status).as(each.get().body()).isIn(200, 500);
        whole += status == 200 ? 1 : 0;
      }
      assertThat(whole).isGreaterThan(underWay.size() / 4);
      assertThat(second.answered()).isGreaterThan(answered);

      // Under load the same conversations went to several workers: others show who is asked now.
      awaitServer(frontend);
      List<String> later = turn(frontend, CONVERSATIONS, 1);
      other.awaitEqualToDumps();
      assertThat(turn(frontend, CONVERSATIONS, 2)).isEqualTo(later);
    }
  }

  /** Waits until the frontend no longer asks the server that went. */
  private void awaitServer(String frontend) {
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .until(
            () ->
                client
                        .send(request(frontend, 0, 2), HttpResponse.BodyHandlers.ofString())
                        .statusCode()
                    == 200);
  }

  /** Asks in some conversations, with what was said before, and returns who was chosen. */
  private List<String> turn(String frontend, int from, int turn) throws Exception {
    List<String> chosen = new ArrayList<>();
    for (int i = 0; i < CONVERSATIONS; i++) {
      HttpResponse<String> answer =
          client.send(request(frontend, from + i, turn), HttpResponse.BodyHandlers.ofString());
      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
      JsonNode worker = new ObjectMapper().readTree(answer.body()).path("nvext").path("worker_id");
      assertThat(worker.isMissingNode()).as(answer.body()).isFalse();
      chosen.add(worker.toString());
    }
    return chosen;
  }

  /** The tokenizer makes a token of each letter. */
  private static HttpRequest request(String frontend, int conversation, int turn) {
    String said = (char) ('a' + conversation) + "bcdefghijklmnop".repeat(9);
    String body =
        "{\"model\":\"tiny\",\"max_tokens\":8,\"nvext\":{\"extra_fields\":[\"worker_id\"]},"
            + "\"messages\":[{\"role\":\"user\",\"content\":\""
            + said
            + "z".repeat(16 * turn)
            + "\"}]}";
    return HttpRequest.newBuilder(URI.create(frontend + "/v1/chat/completions"))
        .header("content-type", "application/json")
        .POST(HttpRequest.BodyPublishers.ofString(body, StandardCharsets.UTF_8))
        .build();
  }
}
