// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.nats;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.plane.LogConsumerFacts;
import io.dynamo4j.plane.LogFacts;
import io.dynamo4j.plane.SnapshotCopy;
import io.dynamo4j.plane.SnapshotUpload;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Several processes, as far as the server can tell, that do the same thing at one moment, again and
 * again: none is refused for what another does.
 */
@ExtendWith(JetStreamExtension.class)
class NatsRacesTest {
  private static final int CLIENTS = 4;
  private static final int ROUNDS = 12;

  private final NatsRun run = new NatsRun();
  private final List<NatsTransport> transports = new ArrayList<>();

  NatsRacesTest(NatsServer server) {
    for (int i = 0; i < CLIENTS; i++) {
      transports.add(run.transport(server.url()));
    }
    for (NatsTransport each : transports) {
      NatsRun.eventually(() -> each.status().state() == NatsState.CONNECTED);
    }
  }

  @AfterEach
  void close() {
    run.close();
  }

  private static final class Round implements AutoCloseable {
    final List<NatsDurableLog> logs = new ArrayList<>();
    final List<NatsSnapshotStore> stores = new ArrayList<>();

    Round(List<NatsTransport> transports, String namespace, int number) {
      DurableStreamConfig config =
          DurableStreamConfig.builder(namespace, "round-" + number)
              .maxBytes(1 << 20)
              .dedupeWindow(Duration.ofSeconds(10))
              .requestTimeout(NatsRun.PATIENCE)
              .build();
      for (NatsTransport each : transports) {
        logs.add(NatsDurableLog.open(each, config));
        stores.add(NatsSnapshotStore.open(each, config));
      }
    }

    @Override
    public void close() {
      logs.forEach(NatsDurableLog::close);
      stores.forEach(NatsSnapshotStore::close);
    }
  }

  private Round round(String test, int number) {
    return new Round(transports, run.scope.namespace() + "-" + test, number);
  }

  /** Has all do it at one moment, and returns what came of it in the clients' order. */
  private static <C, T> List<T> atOnce(
      List<C> clients, BiFunction<C, Integer, CompletionStage<T>> task) {
    List<CompletionStage<T>> stages = new ArrayList<>();
    for (int i = 0; i < clients.size(); i++) {
      stages.add(task.apply(clients.get(i), i));
    }
    return stages.stream().map(stage -> NatsRun.get(stage.toCompletableFuture())).toList();
  }

  private static CompletionStage<Long> append(NatsDurableLog log, String id) {
    return log.append(id, NatsRun.bytes(id));
  }

  private static CompletionStage<Void> put(NatsSnapshotStore store, String name, String content) {
    SnapshotUpload upload = store.create(name);
    try {
      upload.output().write(NatsRun.bytes(content));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return upload.commit();
  }

  private static String content(NatsSnapshotStore store, String name) {
    try (SnapshotCopy copy = NatsRun.get(store.get(name).toCompletableFuture());
        InputStream in = copy.open()) {
      return new String(in.readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void shouldMakeOneStreamOfAllThatOpenItAtOnce() {
    for (int i = 0; i < ROUNDS; i++) {
      try (Round round = round("stream", i)) {
        assertThat(atOnce(round.logs, (log, which) -> append(log, "e" + which)))
            .containsExactlyInAnyOrder(1L, 2L, 3L, 4L);
      }
    }
  }

  @Test
  void shouldMakeOneBucketOfAllThatOpenItAtOnce() {
    for (int i = 0; i < ROUNDS; i++) {
      try (Round round = round("bucket", i)) {
        atOnce(round.stores, (store, which) -> put(store, "s" + which, "of " + which));
        for (NatsSnapshotStore store : round.stores) {
          assertThat(NatsRun.get(store.list().toCompletableFuture()))
              .containsExactly("s0", "s1", "s2", "s3");
        }
        assertThat(content(round.stores.get(0), "s3")).isEqualTo("of 3");
      }
    }
  }

  @Test
  void shouldKeepOneOfTheSnapshotsThatAreStoredUnderOneNameAtOnce() {
    for (int i = 0; i < ROUNDS; i++) {
      try (Round round = round("name", i)) {
        atOnce(round.stores, (store, which) -> put(store, "same", "of " + which));
        String kept = content(round.stores.get(0), "same");
        assertThat(kept).isIn("of 0", "of 1", "of 2", "of 3");
        assertThat(content(round.stores.get(1), "same")).isEqualTo(kept);
      }
    }
  }

  @Test
  void shouldDeleteSnapshotOnceWhoeverElseDoes() {
    for (int i = 0; i < ROUNDS; i++) {
      try (Round round = round("delete", i)) {
        NatsRun.get(put(round.stores.get(0), "old", "x").toCompletableFuture());
        NatsRun.get(put(round.stores.get(0), "new", "y").toCompletableFuture());
        atOnce(round.stores, (store, which) -> store.delete("old"));
        assertThat(NatsRun.get(round.stores.get(2).list().toCompletableFuture()))
            .containsExactly("new");
      }
    }
  }

  @Test
  void shouldListWhileOthersStoreAndDelete() {
    for (int i = 0; i < ROUNDS; i++) {
      try (Round round = round("list", i)) {
        NatsRun.get(put(round.stores.get(0), "stays", "x").toCompletableFuture());
        NatsRun.get(put(round.stores.get(0), "goes", "y").toCompletableFuture());
        CompletionStage<Void> stored = put(round.stores.get(0), "comes", "z");
        CompletionStage<Void> deleted = round.stores.get(1).delete("goes");
        CompletionStage<List<String>> one = round.stores.get(2).list();
        CompletionStage<List<String>> two = round.stores.get(3).list();
        assertThat(NatsRun.get(one.toCompletableFuture())).contains("stays");
        assertThat(NatsRun.get(two.toCompletableFuture())).contains("stays");
        NatsRun.get(stored.toCompletableFuture());
        NatsRun.get(deleted.toCompletableFuture());
        assertThat(NatsRun.get(round.stores.get(2).list().toCompletableFuture()))
            .containsExactly("comes", "stays");
      }
    }
  }

  @Test
  void shouldPurgeUpToTheLastOfThoseAskedForAtOnce() {
    for (int i = 0; i < ROUNDS; i++) {
      try (Round round = round("purge", i)) {
        for (int entry = 1; entry <= 8; entry++) {
          NatsRun.get(append(round.logs.get(0), "e" + entry).toCompletableFuture());
        }
        atOnce(round.logs, (log, which) -> log.purgeThrough(2L * which + 1));
        LogFacts facts = NatsRun.get(round.logs.get(1).facts().toCompletableFuture());
        assertThat(facts.firstSequence()).isEqualTo(8);
        assertThat(facts.lastSequence()).isEqualTo(8);
        atOnce(round.logs, (log, which) -> log.purgeThrough(8));
        assertThat(NatsRun.get(append(round.logs.get(2), "e9").toCompletableFuture())).isEqualTo(9);
      }
    }
  }

  @Test
  void shouldForgetReaderOnceWhoeverElseDoes() {
    for (int i = 0; i < ROUNDS; i++) {
      try (Round round = round("reader", i)) {
        LogProbe reader = new LogProbe();
        LogProbe other = new LogProbe();
        atOnce(
            List.of(reader, other),
            (probe, which) -> {
              round.logs.get(which).consume("reader-" + which, 1, run.lane(), probe);
              return probe.ready;
            });
        CompletionStage<List<LogConsumerFacts>> listed = round.logs.get(3).consumers();
        atOnce(round.logs, (log, which) -> log.deleteConsumer("reader-0"));
        assertThat(NatsRun.get(listed.toCompletableFuture())).hasSizeBetween(1, 2);
        NatsRun.get(append(round.logs.get(2), "e").toCompletableFuture());
        NatsRun.eventually(() -> other.entries.size() == 1);
        assertThat(NatsRun.get(round.logs.get(1).consumers().toCompletableFuture()))
            .extracting(LogConsumerFacts::name)
            .containsExactly("reader-1");
        assertThat(other.failures).isEmpty();
      }
    }
  }
}
