// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.model.FinishReason;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.discovery.ModelFolder;
import io.dynamo4j.plane.WorkerInstance;
import io.dynamo4j.transport.tcp.PayloadCodec;
import io.dynamo4j.transport.tcp.TcpRequestPlane;
import io.dynamo4j.wire.RecoveryQuery;
import io.dynamo4j.wire.RecoveryResponse;
import io.dynamo4j.wire.RecoveryResponseCodec;
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
import java.util.Objects;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Against real Dynamo 1.6.1 processes. */
class RealFleetIT {
  @TempDir Path work;

  /* --------------- A Java gateway in front of Dynamo's workers --------------- */

  @Test
  void shouldGenerateOnWorkersFoundThroughFiles() throws Exception {
    try (Fleet fleet = Fleet.start(work, "--workers", "3", "--dp", "2");
        FileGateway gateway = new FileGateway(fleet.root())) {
      gateway.awaitWorkers(3);
      for (WorkerInstance worker : gateway.discovery().workers().instances()) {
        assertThat(worker.dpSize()).isEqualTo(2);
        assertThat(worker.kvBlockSize()).isEqualTo(16);
        assertThat(worker.address().transport()).isEqualTo("tcp+msgpack");
        Answer answer = Answer.of(gateway.send(worker, FileGateway.request(20)));
        assertThat(answer.awaitEnd()).isNull();
        assertThat(answer.tokens()).hasSize(20);
        assertThat(answer.finishReasons()).containsExactly(FinishReason.LENGTH);
      }
      List<Answer> answers = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        answers.add(Answer.of(gateway.migrate(FileGateway.request(40))));
      }
      for (Answer answer : answers) {
        assertThat(answer.awaitEnd()).isNull();
        assertThat(answer.tokens()).hasSize(40);
      }
    }
  }

  @Test
  void shouldSpeakJsonWithWorkersThatAskForIt() throws Exception {
    try (Fleet fleet =
            Fleet.start(work, "--workers", "1", "--env", "DYN_REQUEST_PLANE_CODEC=json");
        FileGateway gateway = new FileGateway(fleet.root())) {
      gateway.awaitWorkers(1);
      WorkerInstance worker = gateway.discovery().workers().instances().get(0);
      assertThat(worker.address().transport()).isEqualTo("tcp+json");
      Answer answer = Answer.of(gateway.send(worker, FileGateway.request(20)));
      assertThat(answer.awaitEnd()).isNull();
      assertThat(answer.tokens()).hasSize(20);
    }
  }

  @Test
  void shouldAskSourcesForWhatTheyHold() throws Exception {
    try (Fleet fleet = Fleet.start(work, "--workers", "1", "--dp", "2");
        FileGateway gateway = new FileGateway(fleet.root());
        TcpRequestPlane<byte[], byte[]> queries =
            TcpRequestPlane.builder(PayloadCodec.raw(), gateway.environment()).build()) {
      gateway.awaitWorkers(1);
      WorkerInstance worker = gateway.discovery().workers().instances().get(0);
      for (int i = 0; i < 6; i++) {
        assertThat(Answer.of(gateway.send(worker, FileGateway.request(40))).awaitEnd()).isNull();
      }
      int events = 0;
      for (int index = 0; index < worker.dpSize(); index++) {
        WorkerWithDpRank rank = worker.rank(index);
        Awaitility.await()
            .atMost(Duration.ofSeconds(60))
            .until(() -> gateway.discovery().recoveryTarget(worker, rank) != null);
        WorkerInstance target =
            Objects.requireNonNull(gateway.discovery().recoveryTarget(worker, rank));
        byte[] query = RecoveryQuery.ofEverything(rank).encode();
        byte[] answer = FirstItem.of(queries, target, query, gateway.environment());
        RecoveryResponse response = RecoveryResponseCodec.decode(answer);
        assertThat(response).isInstanceOf(RecoveryResponse.TreeDump.class);
        events += ((RecoveryResponse.TreeDump) response).events().events().size();
      }
      assertThat(events).isPositive();
    }
  }

  /* --------------- A Java worker behind Dynamo's frontend --------------- */

  @Test
  void shouldServeFrontendFromJavaWorker() throws Exception {
    try (Fleet fleet = Fleet.start(work, "--workers", "0", "--frontends", "1");
        JavaWorker worker =
            new JavaWorker(fleet.root(), 0x7eedL, ModelFolder.of(fleet.model(), "tiny"))) {
      HttpClient client = HttpClient.newHttpClient();
      Awaitility.await()
          .atMost(Duration.ofSeconds(60))
          .until(() -> get(client, fleet.frontend() + "/v1/models").contains("\"tiny\""));
      HttpResponse<String> whole =
          client.send(completion(fleet, 10), HttpResponse.BodyHandlers.ofString());
      assertThat(whole.statusCode()).as(whole.body()).isEqualTo(200);
      assertThat(whole.body()).contains("\"finish_reason\":\"length\"").contains("[DONE]");
      assertThat(worker.requestCount()).isEqualTo(1);

      HttpResponse<InputStream> endless =
          client.send(completion(fleet, 8_000), HttpResponse.BodyHandlers.ofInputStream());
      try (InputStream body = endless.body()) {
        assertThat(body.readNBytes(200)).hasSize(200);
      }
      Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> worker.cancelCount() == 1);
    }
  }

  private static String get(HttpClient client, String url) throws Exception {
    HttpRequest request = HttpRequest.newBuilder(URI.create(url)).build();
    return client.send(request, HttpResponse.BodyHandlers.ofString()).body();
  }

  private static HttpRequest completion(Fleet fleet, int maxTokens) {
    String body =
        "{\"model\":\"tiny\",\"stream\":true,\"max_tokens\":"
            + maxTokens
            + ",\"messages\":[{\"role\":\"user\",\"content\":\"count\"}]}";
    return HttpRequest.newBuilder(URI.create(fleet.frontend() + "/v1/chat/completions"))
        .header("content-type", "application/json")
        .POST(HttpRequest.BodyPublishers.ofString(body, StandardCharsets.UTF_8))
        .build();
  }
}
