// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.model.StopConditions;
import io.dynamo4j.core.runtime.RealEnvironment;
import io.dynamo4j.testkit.script.ScriptedDispatcher;
import io.dynamo4j.testkit.script.WorkerScript;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Flow;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The migrator on an environment of its own: other threads, same behaviour. */
@Timeout(60)
class RealThreadsTest {
  private static final int TOKENS = 400;

  /** Each request has workers of its own: scripted workers serve one thread. */
  private static ScriptedDispatcher workers() {
    return ScriptedDispatcher.create()
        .worker(1, WorkerScript.refuse(ErrorType.CANNOT_CONNECT))
        .worker(2, WorkerScript.open().tokens(100).fail(ErrorType.DISCONNECTED))
        .worker(3, WorkerScript.open().tokens(100).fail(ErrorType.ENGINE_SHUTDOWN))
        .worker(4, WorkerScript.open().answer());
  }

  private static PreprocessedRequest request() {
    return Rig.request().stopConditions(StopConditions.builder().maxTokens(TOKENS).build()).build();
  }

  @Test
  void shouldBringWholeAnswerWhenManyRequestsMigrateAtOnce() throws InterruptedException {
    int[] expected = Rig.answer(TOKENS);
    List<Waiting> clients = new ArrayList<>();
    List<Migrator<PreprocessedRequest, LLMEngineOutput>> migrators = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      Migrator<PreprocessedRequest, LLMEngineOutput> migrator =
          Migrator.builder()
              .limit(3)
              .adapter(ReplayAdapter.preprocessed())
              .dispatcher(workers())
              .build();
      migrators.add(migrator);
      Waiting client = new Waiting();
      clients.add(client);
      migrator.migrate(request()).subscribe(client);
    }

    for (Waiting client : clients) {
      client.awaitEnd();
      assertThat(client.error).isNull();
      assertThat(client.tokens).hasSize(TOKENS);
      assertThat(client.tokens.stream().mapToInt(Integer::intValue).toArray())
          .containsExactly(expected);
    }
    migrators.forEach(Migrator::close);
  }

  @Test
  void shouldEndOpenStreamAndRefuseLaterOnesWhenClosed() throws InterruptedException {
    Migrator<PreprocessedRequest, LLMEngineOutput> migrator =
        Migrator.builder()
            .limit(3)
            .adapter(ReplayAdapter.preprocessed())
            .dispatcher(ScriptedDispatcher.create().worker(1, WorkerScript.open().tokens(1)))
            .build();
    Waiting open = new Waiting();
    Waiting late = new Waiting();
    migrator.migrate(request()).subscribe(open);
    open.awaitFirst();

    migrator.close();
    assertThatThrownBy(() -> migrator.migrate(request()).subscribe(late))
        .isInstanceOf(RejectedExecutionException.class);

    open.awaitEnd();
    assertThat(open.error).isInstanceOf(MigrationException.class);
    assertThat(open.error).hasMessage("migrator was closed");
    assertThat(late.subscription).isNull();
    assertThat(late.error).isNull();
  }

  @Test
  void shouldKeepNoRequestWhenTheHostsEnvironmentClosedFirst() throws InterruptedException {
    RealEnvironment environment = RealEnvironment.create();
    DefaultMigrator<PreprocessedRequest, LLMEngineOutput> migrator =
        (DefaultMigrator<PreprocessedRequest, LLMEngineOutput>)
            Migrator.builder()
                .limit(3)
                .adapter(ReplayAdapter.preprocessed())
                .dispatcher(ScriptedDispatcher.create().worker(1, WorkerScript.open().tokens(1)))
                .environment(environment.environment())
                .build();
    Waiting open = new Waiting();
    Waiting late = new Waiting();
    migrator.migrate(request()).subscribe(open);
    open.awaitFirst();
    assertThat(migrator.openRequests()).isEqualTo(1);

    environment.close();
    assertThatThrownBy(() -> migrator.migrate(request()).subscribe(late))
        .isInstanceOf(RejectedExecutionException.class);
    assertThat(late.subscription).isNull();
    assertThat(migrator.openRequests()).isEqualTo(1);
    migrator.close();

    assertThat(migrator.openRequests()).isZero();
  }

  @Test
  void shouldOpenThousandsOfStreamsWithoutAThreadForAny() throws InterruptedException {
    MigrationOptions timed =
        MigrationOptions.builder()
            .limit(3)
            .deadline(Duration.ofHours(1))
            .hedgeAfter(Duration.ofHours(1))
            .stallTimeout(Duration.ofHours(1))
            .build();
    DefaultMigrator<PreprocessedRequest, LLMEngineOutput> migrator =
        (DefaultMigrator<PreprocessedRequest, LLMEngineOutput>)
            Migrator.builder()
                .options(timed)
                .adapter(ReplayAdapter.preprocessed())
                .dispatcher(ScriptedDispatcher.create().worker(1, WorkerScript.open().tokens(1)))
                .build();
    List<Waiting> clients = new ArrayList<>();
    for (int i = 0; i < 5_000; i++) {
      Waiting client = new Waiting();
      clients.add(client);
      migrator.migrate(request()).subscribe(client);
    }
    for (Waiting client : clients) {
      client.awaitFirst();
    }

    List<String> threads =
        Thread.getAllStackTraces().keySet().stream()
            .map(Thread::getName)
            .filter(name -> name.startsWith("dynamo4j"))
            .toList();
    assertThat(migrator.openRequests()).isEqualTo(5_000);
    assertThat(threads).hasSizeLessThan(100);
    migrator.close();
  }

  /** Asks for one item at a time and lets a test wait. */
  private static final class Waiting implements Flow.Subscriber<LLMEngineOutput> {
    private final CountDownLatch first = new CountDownLatch(1);
    private final CountDownLatch end = new CountDownLatch(1);
    private final List<Integer> tokens = new ArrayList<>();
    private Flow.@Nullable Subscription subscription;
    private @Nullable Throwable error;

    void awaitFirst() throws InterruptedException {
      assertThat(first.await(30, TimeUnit.SECONDS)).isTrue();
    }

    void awaitEnd() throws InterruptedException {
      assertThat(end.await(30, TimeUnit.SECONDS)).isTrue();
    }

    @Override
    public void onSubscribe(Flow.Subscription newSubscription) {
      subscription = newSubscription;
      newSubscription.request(1);
    }

    @Override
    public void onNext(LLMEngineOutput item) {
      for (int i = 0; i < item.tokenIds().length(); i++) {
        tokens.add(item.tokenIds().get(i));
      }
      first.countDown();
      Objects.requireNonNull(subscription).request(1);
    }

    @Override
    public void onError(Throwable failure) {
      error = failure;
      end.countDown();
    }

    @Override
    public void onComplete() {
      end.countDown();
    }
  }
}
