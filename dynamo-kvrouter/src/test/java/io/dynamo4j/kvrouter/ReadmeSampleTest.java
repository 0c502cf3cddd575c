// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.core.testing.SharedData;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.indexer.KvIndexer;
import io.dynamo4j.kvrouter.DispatchFixture.Client;
import io.dynamo4j.plane.RequestDispatcher;
import io.dynamo4j.plane.RequestPlane;
import io.dynamo4j.plane.WorkerDirectory;
import io.dynamo4j.plane.WorkerHealth;
import io.dynamo4j.plane.WorkerInstance;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The samples of this module's README, run as they stand there. */
class ReadmeSampleTest {
  private final DispatchFixture fixture = new DispatchFixture(1);
  private final List<WorkerInstance> sent = new ArrayList<>();

  @Test
  void shouldRouteAsInTheSamples() {
    fixture.serve(1, fixture.tokens(2));
    Environment environment = fixture.simulation.environment("gateway");
    WorkerDirectory directory = fixture.directory;
    WorkerHealth health = fixture.health;
    RequestPlane<PreprocessedRequest, LLMEngineOutput> plane = fixture.plane;
    TokenSlice tokens = RouterFixture.tokens(0, 100);

    KvIndexer indexer = KvIndexer.builder().environment(environment).blockSize(16).build();
    KvRouter router =
        KvRouter.builder()
            .environment(environment)
            .directory(directory)
            .indexer(indexer)
            .health(health)
            .build();

    RequestDispatcher<PreprocessedRequest, LLMEngineOutput> dispatcher =
        KvDispatcher.builder().router(router).requestPlane(plane).build();

    try (RequestLease lease = router.trySelect(SchedulingRequest.builder("id", tokens).build())) {
      send(lease.instance());
      lease.markPrefillCompleted(); // at the first token
    }

    Client client = fixture.client("r").start(dispatcher);
    fixture.simulation.run();
    assertThat(client.completed).isTrue();
    assertThat(sent).isEqualTo(directory.instances());
    assertThat(router.bookingCount()).isZero();
    indexer.close();
  }

  @Test
  void shouldRouteWithoutEventsAsInTheSample() {
    fixture.serve(1, fixture.tokens(2));
    Environment environment = fixture.simulation.environment("gateway");
    WorkerDirectory directory = fixture.directory;
    TokenSlice tokens = RouterFixture.tokens(0, 100);

    KvRouter router =
        KvRouter.builder()
            .environment(environment)
            .directory(directory)
            .blockSize(16)
            .config(KvRouterConfig.builder().useKvEvents(false).build())
            .build();

    fixture.simulation.runFor(1);
    try (RequestLease lease = router.trySelect(SchedulingRequest.builder("id", tokens).build())) {
      send(lease.instance());
    }
    assertThat(sent).isEqualTo(directory.instances());
    router.close();
  }

  @Test
  void shouldRouteOverTwoPoolsAsInTheSample() {
    fixture.serve(1, fixture.tokens(2));
    RequestPlane<PreprocessedRequest, LLMEngineOutput> plane = fixture.plane;
    KvRouter prefillRouter = fixture.router();
    KvRouter decodeRouter = fixture.router();

    DisaggregatedRouter router =
        DisaggregatedRouter.builder().prefill(prefillRouter).decode(decodeRouter).build();
    RequestDispatcher<PreprocessedRequest, LLMEngineOutput> dispatcher =
        DisaggregatedDispatcher.builder().router(router).requestPlane(plane).build();

    Client client = fixture.client("r").start(dispatcher);
    fixture.simulation.run();
    assertThat(client.completed).isTrue();
    assertThat(prefillRouter.bookingCount()).isZero();
    assertThat(decodeRouter.bookingCount()).isZero();
  }

  private void send(WorkerInstance instance) {
    sent.add(instance);
  }

  @Test
  void shouldStandInTheReadmeWordForWord() throws IOException {
    Path module = SharedData.repository().resolve("dynamo-kvrouter");
    String source =
        withoutIndent(module.resolve("src/test/java/io/dynamo4j/kvrouter/ReadmeSampleTest.java"));
    String[] parts = withoutIndent(module.resolve("README.md")).split("```java\n");

    assertThat(parts).hasSize(5);
    for (int i = 1; i < parts.length; i++) {
      String sample = parts[i].substring(0, parts[i].indexOf("```"));
      assertThat(sample).isNotBlank();
      assertThat(source).contains(sample);
    }
  }

  private static String withoutIndent(Path file) throws IOException {
    StringBuilder text = new StringBuilder();
    for (String line : Files.readAllLines(file)) {
      text.append(line.strip()).append('\n');
    }
    return text.toString();
  }
}
