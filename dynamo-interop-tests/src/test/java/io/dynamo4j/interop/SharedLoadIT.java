// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.plane.PlaneSelection;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two Java routers and a Dynamo router that tell each other what they have booked. */
class SharedLoadIT {
  private static final int STREAMS = 6;
  private static final int ENDLESS = 6_000;

  /** When bookings end of which nobody says anything, as Dynamo's router never does. */
  private static final Duration SOON = Duration.ofSeconds(40);

  private static final Duration NOT_HERE = Duration.ofMinutes(10);

  @TempDir Path work;

  private final HttpClient client = HttpClient.newHttpClient();

  @Test
  void shouldShareLoadAndForgetThatOfRoutersThatAreGone() throws Exception {
    PlaneSelection planes = PlaneSelection.ofDefaults();
    try (Fleet fleet = start(planes);
        JavaRouter two = new JavaRouter(fleet.root(), planes, fleet.variables(), SOON)) {
      JavaRouter one = new JavaRouter(fleet.root(), planes, fleet.variables(), SOON);
      share(fleet, one, two);
      crash(fleet, one, two);
      fleet.frontend("kill", 0);
      await(two, none(fleet));
    }
  }

  @Test
  void shouldShareLoadOverNatsAndForgetThatOfARouterThatIsGone() throws Exception {
    PlaneSelection planes =
        PlaneSelection.builder().events("nats", "fleet").requests("nats", "fleet").build();
    try (Fleet fleet = start(planes);
        JavaRouter two = new JavaRouter(fleet.root(), planes, fleet.variables(), NOT_HERE)) {
      JavaRouter one = new JavaRouter(fleet.root(), planes, fleet.variables(), NOT_HERE);
      share(fleet, one, two);
      crash(fleet, one, two);
    }
  }

  /** Ends a Java router without a word: its bookings end with its lease, Dynamo's stay. */
  private static void crash(Fleet fleet, JavaRouter one, JavaRouter two) {
    SortedMap<Long, Integer> ofDynamo = new TreeMap<>(two.requests());
    one.crash();
    ofDynamo.put(fleet.workerId(0), 0);
    await(two, ofDynamo);
  }

  private Fleet start(PlaneSelection planes) throws Exception {
    return Fleet.start(
        work,
        "--workers",
        "3",
        "--speedup",
        "0.2",
        "--frontends",
        "1",
        "--replica-sync",
        "--gpu-blocks",
        "8192",
        "--event-plane",
        planes.events(),
        "--request-plane",
        planes.requests());
  }

  /** Has a Java router load one worker, and Dynamo's avoid it. */
  private void share(Fleet fleet, JavaRouter one, JavaRouter two) throws Exception {
    one.follower().awaitWorkers(3);
    two.follower().awaitWorkers(3);
    // Before anything is booked only Java routers speak, of their leases.
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> one.peers() == 1 && two.peers() == 1);
    long loaded = fleet.workerId(0);

    List<Answer> answers = new ArrayList<>();
    for (int i = 0; i < STREAMS; i++) {
      answers.add(one.send("java-" + i, loaded, ENDLESS));
    }
    for (Answer answer : answers) {
      answer.awaitFirstItem();
    }
    SortedMap<Long, Integer> ofJava = none(fleet);
    ofJava.put(loaded, STREAMS);
    await(two, ofJava);

    // Dynamo's router knows them too: it sends nothing to that worker.
    List<CompletableFuture<HttpResponse<InputStream>>> underWay = new ArrayList<>();
    for (int i = 0; i < STREAMS; i++) {
      underWay.add(
          client.sendAsync(
              completion(fleet.frontend(), i), HttpResponse.BodyHandlers.ofInputStream()));
      int sent = STREAMS + i + 1;
      Awaitility.await()
          .atMost(Duration.ofSeconds(60))
          .until(() -> sum(two.requests()) == sent && sum(one.requests()) == sent);
    }
    assertThat(two.requests()).isEqualTo(one.requests()).containsEntry(loaded, STREAMS);
    assertThat(underWay).noneMatch(CompletableFuture::isCompletedExceptionally);
  }

  private static SortedMap<Long, Integer> none(Fleet fleet) {
    SortedMap<Long, Integer> none = new TreeMap<>();
    for (int worker = 0; worker < 3; worker++) {
      none.put(fleet.workerId(worker), 0);
    }
    return none;
  }

  private static void await(JavaRouter router, SortedMap<Long, Integer> requests) {
    Awaitility.await()
        .atMost(Duration.ofMinutes(2))
        .untilAsserted(() -> assertThat(router.requests()).isEqualTo(requests));
  }

  private static int sum(SortedMap<Long, Integer> requests) {
    return requests.values().stream().mapToInt(Integer::intValue).sum();
  }

  private static HttpRequest completion(String frontend, int number) {
    String body =
        "{\"model\":\"tiny\",\"stream\":true,\"max_tokens\":"
            + ENDLESS
            + ",\"messages\":[{\"role\":\"user\",\"content\":\""
            + (char) ('a' + number)
            + " asks\"}]}";
    return HttpRequest.newBuilder(URI.create(frontend + "/v1/chat/completions"))
        .header("content-type", "application/json")
        .POST(HttpRequest.BodyPublishers.ofString(body, StandardCharsets.UTF_8))
        .build();
  }
}
