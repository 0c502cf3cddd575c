// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.model.StopConditions;
import io.dynamo4j.core.token.TokenAccumulator;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.migration.event.MigrationEvent;
import io.dynamo4j.migration.event.MigrationPhase;
import io.dynamo4j.migration.event.RecoveryOutcome;
import io.dynamo4j.plane.RequestDispatcher;
import io.dynamo4j.testkit.script.ScriptedDispatch;
import io.dynamo4j.testkit.script.ScriptedDispatcher;
import io.dynamo4j.testkit.script.TokenSource;
import io.dynamo4j.testkit.script.WorkerScript;
import io.dynamo4j.testkit.simulation.Simulation;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/** A migrator over scripted workers in virtual time. */
final class Rig {
  static final TokenSlice PROMPT = TokenSlice.of(11, 12, 13);
  static final int ANSWER = 8;

  final Simulation simulation = Simulation.builder().seed(1).build();
  final ScriptedDispatcher workers = ScriptedDispatcher.create();
  final List<MigrationEvent> events = new ArrayList<>();
  final Migrator<PreprocessedRequest, LLMEngineOutput> migrator;

  private Rig(
      MigratorBuilder builder,
      UnaryOperator<RequestDispatcher<PreprocessedRequest, LLMEngineOutput>> wrap) {
    this.migrator =
        builder
            .adapter(ReplayAdapter.preprocessed())
            .dispatcher(wrap.apply(workers))
            .environment(simulation.environment("gateway"))
            .listener(events::add)
            .build();
  }

  static Rig of(MigratorBuilder builder) {
    return new Rig(builder, UnaryOperator.identity());
  }

  static Rig of(
      MigratorBuilder builder,
      UnaryOperator<RequestDispatcher<PreprocessedRequest, LLMEngineOutput>> wrap) {
    return new Rig(builder, wrap);
  }

  static Rig withLimit(long limit) {
    return of(Migrator.builder().limit(limit));
  }

  Rig worker(long workerId, WorkerScript... scripts) {
    workers.worker(workerId, scripts);
    return this;
  }

  /** A request for {@link #ANSWER} tokens. */
  static PreprocessedRequest.Builder request() {
    return PreprocessedRequest.builder("r1", PROMPT)
        .model("m")
        .stopConditions(StopConditions.builder().maxTokens(ANSWER).build());
  }

  /** The answer of a worker that never fails. */
  static int[] answer(int count) {
    return answer(PROMPT, count);
  }

  static int[] answer(TokenSlice prompt, int count) {
    TokenSource source = TokenSource.ofContext();
    TokenAccumulator generated = TokenAccumulator.startingWith(TokenSlice.empty());
    for (int i = 0; i < count; i++) {
      generated.append(source.next(prompt, generated.snapshot()));
    }
    return generated.snapshot().toArray();
  }

  /** The prompt and so many tokens of its answer. */
  static int[] sequence(int delivered) {
    return IntStream.concat(Arrays.stream(PROMPT.toArray()), Arrays.stream(answer(delivered)))
        .toArray();
  }

  /** Subscribes and runs until nothing is left to do. */
  RecordingClient run(PreprocessedRequest request) {
    return run(request, migrator.options());
  }

  RecordingClient run(PreprocessedRequest request, MigrationOptions options) {
    RecordingClient client = RecordingClient.unbounded();
    run(request, options, client);
    return client;
  }

  void run(PreprocessedRequest request, RecordingClient client) {
    run(request, migrator.options(), client);
  }

  void run(PreprocessedRequest request, MigrationOptions options, RecordingClient client) {
    subscribe(request, options, client);
    simulation.run();
  }

  void subscribe(PreprocessedRequest request, MigrationOptions options, RecordingClient client) {
    simulation.controller().execute(() -> migrator.migrate(request, options).subscribe(client));
  }

  List<ScriptedDispatch> dispatches() {
    return workers.dispatches();
  }

  List<Long> dispatchedWorkers() {
    return dispatches().stream().map(dispatch -> dispatch.worker().workerId()).toList();
  }

  long newRequests() {
    return migrator.stats().migrations(MigrationPhase.NEW_REQUEST);
  }

  long ongoingRequests() {
    return migrator.stats().migrations(MigrationPhase.ONGOING_REQUEST);
  }

  long recoveries(MigrationPhase phase, RecoveryOutcome outcome) {
    return migrator.stats().recoveries(phase, outcome);
  }

  <E extends MigrationEvent> List<E> events(Class<E> type) {
    return events.stream().filter(type::isInstance).map(type::cast).toList();
  }
}
