// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.contracts;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.token.TokenAccumulator;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.migration.DrainResult;
import io.dynamo4j.migration.MigrationOptions;
import io.dynamo4j.migration.Migrator;
import io.dynamo4j.testkit.script.ScriptedDispatch;
import io.dynamo4j.testkit.script.ScriptedDispatcher;
import io.dynamo4j.testkit.script.TokenSource;
import io.dynamo4j.testkit.simulation.Simulation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/** Plays a case, as often as wanted, through one migrator in virtual time. */
final class MigrationPlay {
  private static final long LONG_ENOUGH_NANOS = Duration.ofMinutes(10).toNanos();

  private final MigrationCase played;
  private final Simulation simulation = Simulation.builder().seed(1).maxEvents(100_000).build();
  private final ScriptedDispatcher workers = ScriptedDispatcher.create();
  private final Migrator<PreprocessedRequest, LLMEngineOutput> migrator;
  private int plays;

  MigrationPlay(MigrationCase played, MigratorFactory factory) {
    this.played = played;
    for (int i = 0; i < played.workers().size(); i++) {
      workers.worker(i + 1, played.workers().get(i).script());
    }
    this.migrator = factory.create(played.options(), workers, simulation.environment("gateway"));
  }

  Simulation simulation() {
    return simulation;
  }

  Migrator<PreprocessedRequest, LLMEngineOutput> migrator() {
    return migrator;
  }

  List<ScriptedDispatch> dispatches() {
    return workers.dispatches();
  }

  /** Subscribes a client of the case's kind and runs until nothing is left to do. */
  StrictClient play() {
    StrictClient client = StrictClient.of(played.window(), played.cancelsAfter());
    subscribe(client);
    run();
    return client;
  }

  /** Subscribes at the present moment of virtual time. */
  void subscribe(StrictClient client) {
    String requestId = "request-" + ++plays;
    simulation
        .controller()
        .execute(
            () -> migrator.migrate(played.request(requestId), played.options()).subscribe(client));
  }

  /** Subscribes, under other options than the case's. */
  void subscribe(StrictClient client, MigrationOptions options) {
    String requestId = "request-" + ++plays;
    simulation
        .controller()
        .execute(() -> migrator.migrate(played.request(requestId), options).subscribe(client));
  }

  /** Begins to drain the first worker after {@code delay}, and returns what came of it. */
  List<DrainResult> drainFirst(Duration delay, Duration within) {
    List<DrainResult> results = new ArrayList<>();
    simulation
        .controller()
        .schedule(() -> migrator.drain(1, within).thenAccept(results::add), delay.toNanos());
    return results;
  }

  void run() {
    simulation.runFor(LONG_ENOUGH_NANOS);
  }

  /** Plays the case and compares everything that can be seen with what it calls for. */
  void playAndCheck() {
    int before = dispatches().size();
    StrictClient client = play();
    List<ScriptedDispatch> mine = dispatches().subList(before, dispatches().size());
    ExpectedAnswer expected = ExpectedAnswer.of(played);
    assertThat(client.breaches()).as("breaches of the protocol").isEmpty();
    checkDispatches(mine, expected);
    if (client.isCancelled()) {
      int received = client.tokens().length;
      assertThat(client.tokens()).as("tokens before the cancel").containsExactly(answer(received));
    } else {
      assertThat(mine).as("attempts").hasSameSizeAs(expected.deliveredAtDispatch());
      checkAnswer(client, expected);
    }
    assertThat(mine)
        .as("attempts that nobody ended or cancelled")
        .allMatch(dispatch -> dispatch.isEnded() || dispatch.isCancelled());
  }

  private void checkDispatches(List<ScriptedDispatch> mine, ExpectedAnswer expected) {
    assertThat(mine).as("attempts").hasSizeLessThanOrEqualTo(expected.deliveredAtDispatch().size());
    for (int i = 0; i < mine.size(); i++) {
      ScriptedDispatch dispatch = mine.get(i);
      int delivered = expected.deliveredAtDispatch().get(i);
      PreprocessedRequest asked = dispatch.request();
      assertThat(dispatch.worker())
          .as("worker of attempt %s", i)
          .isEqualTo(WorkerWithDpRank.of(i + 1));
      assertThat(dispatch.attempt().number()).as("number of attempt %s", i).isEqualTo(i);
      assertThat(asked.requestId()).as("request id").isEqualTo("request-" + plays);
      assertThat(asked.tokenIds().toArray())
          .as("context of attempt %s", i)
          .containsExactly(sequence(delivered));
      assertThat(asked.stopConditions().maxTokens())
          .as("budget of attempt %s", i)
          .isEqualTo(played.maxTokens() - delivered);
      if (played.window() > 0) {
        assertThat(dispatch.requestedItems())
            .as("items asked of attempt %s", i)
            .isLessThan(Long.MAX_VALUE);
      }
    }
  }

  private void checkAnswer(StrictClient client, ExpectedAnswer expected) {
    assertThat(client.tokens()).as("tokens").containsExactly(answer(expected.delivered()));
    assertThat(client.isEnded()).as("the stream has ended").isTrue();
    assertThat(client.isCompleted()).as("completed").isEqualTo(expected.isCompleted());
    assertThat(client.finishReasons()).as("finish reasons").hasSize(expected.isCompleted() ? 1 : 0);
    if (!expected.isCompleted()) {
      checkError(client, expected);
    }
  }

  private static void checkError(StrictClient client, ExpectedAnswer expected) {
    assertThat(client.error()).isInstanceOf(DynamoException.class);
    ErrorType error = expected.error();
    if (error != null && client.error() instanceof DynamoException failure) {
      assertThat(failure.errorType()).as("type of the error").isEqualTo(error);
    }
  }

  /** Returns the first tokens of the answer as a worker that never fails would bring it. */
  int[] answer(int count) {
    TokenSlice prompt = played.request("any").tokenIds();
    TokenSource source = TokenSource.ofContext();
    TokenAccumulator generated = TokenAccumulator.startingWith(TokenSlice.empty());
    for (int i = 0; i < count; i++) {
      generated.append(source.next(prompt, generated.snapshot()));
    }
    return generated.snapshot().toArray();
  }

  private int[] sequence(int delivered) {
    return IntStream.concat(
            Arrays.stream(played.request("any").tokenIds().toArray()),
            Arrays.stream(answer(delivered)))
        .toArray();
  }
}
