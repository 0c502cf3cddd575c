// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.migration;

import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.model.StopConditions;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.migration.MigrationException;
import io.dynamo4j.migration.Migrator;
import io.dynamo4j.migration.MigratorStats;
import io.dynamo4j.migration.ReplayAdapter;
import io.dynamo4j.migration.event.MigrationPhase;
import io.dynamo4j.migration.event.RecoveryOutcome;
import io.dynamo4j.testkit.script.ScriptedDispatcher;
import io.dynamo4j.testkit.script.WorkerScript;
import io.dynamo4j.testkit.simulation.Simulation;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Flow;

/** Plays a case through the migrator in virtual time and watches. */
final class OurAnswer {

  private OurAnswer() {}

  static Observation of(MigrationCase recorded) {
    PreprocessedRequest request = recorded.request();
    int promptLength = request.tokenIds().length();
    ScriptedDispatcher workers =
        ScriptedDispatcher.generating(
            (prompt, generated) ->
                recorded.generated(prompt.length() - promptLength + generated.length()));
    for (int i = 0; i < recorded.workerCount(); i++) {
      workers.worker(i + 1L, script(recorded.script(i)));
    }
    Simulation simulation = Simulation.builder().build();
    Migrator<PreprocessedRequest, LLMEngineOutput> migrator =
        Migrator.builder()
            .adapter(ReplayAdapter.preprocessed())
            .dispatcher(workers)
            .environment(simulation.environment("gateway"))
            .build();
    Client client = new Client();
    migrator.migrate(request, recorded.options()).subscribe(client);
    simulation.run();
    return client.observation(
        workers.dispatches().stream().map(dispatch -> show(dispatch.request())).toList(),
        counters(migrator.stats()));
  }

  private static WorkerScript script(List<Act> acts) {
    WorkerScript script = WorkerScript.open();
    for (Act act : acts) {
      if (act instanceof Act.Generate generate) {
        script =
            generate.finish() == null
                ? script.chunk(generate.count())
                : script.chunk(generate.count(), generate.finish());
      } else if (act instanceof Act.Chunk chunk) {
        script = script.item(item(chunk));
      } else if (act instanceof Act.UpTo upTo) {
        script = script.answerUpTo(upTo.atMost());
      } else if (act instanceof Act.Sleep sleep) {
        script = script.pauseNanos(sleep.nanos());
      } else if (act instanceof Act.Fail fail) {
        script = script.fail(fail.type());
      } else {
        script = script.complete();
      }
    }
    return script;
  }

  private static LLMEngineOutput item(Act.Chunk chunk) {
    int[] tokens = chunk.tokens().stream().mapToInt(Integer::intValue).toArray();
    LLMEngineOutput item =
        chunk.finish() == null
            ? LLMEngineOutput.of(TokenSlice.wrap(tokens))
            : LLMEngineOutput.last(TokenSlice.wrap(tokens), chunk.finish());
    return item.withIndex(chunk.choice());
  }

  /** Shows the parts of a request that a continuation changes. */
  static String show(PreprocessedRequest request) {
    return show(request.tokenIds(), request.stopConditions());
  }

  static String show(TokenSlice tokens, StopConditions stop) {
    List<Integer> ids = new ArrayList<>();
    for (int i = 0; i < tokens.length(); i++) {
      ids.add(tokens.get(i));
    }
    return "tokens=" + ids + ", maxTokens=" + stop.maxTokens() + ", minTokens=" + stop.minTokens();
  }

  private static Map<String, Long> counters(MigratorStats stats) {
    Map<String, Long> counters = new TreeMap<>();
    for (MigrationPhase phase : MigrationPhase.values()) {
      count(counters, phase.label(), stats.migrations(phase));
      for (RecoveryOutcome outcome : RecoveryOutcome.values()) {
        count(counters, phase.label() + "/" + outcome.label(), stats.recoveries(phase, outcome));
      }
    }
    count(counters, "exceeded", stats.maxSeqLenExceeded());
    return counters;
  }

  private static void count(Map<String, Long> counters, String name, long count) {
    if (count > 0) {
      counters.put(name, count);
    }
  }

  /** Collects an answer. */
  private static final class Client implements Flow.Subscriber<LLMEngineOutput> {
    private final Texts texts = new Texts();
    private final List<String> finishReasons = new ArrayList<>();
    private boolean completed;
    private boolean failed;

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
      subscription.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(LLMEngineOutput item) {
      for (int i = 0; i < item.tokenIds().length(); i++) {
        texts.add(item.index(), item.tokenIds().get(i));
      }
      if (item.finishReason() != null) {
        finishReasons.add(Texts.apiName(item.finishReason()));
      }
    }

    @Override
    public void onError(Throwable error) {
      if (!(error instanceof MigrationException)) {
        throw new IllegalStateException("stream failed with a foreign error", error);
      }
      failed = true;
    }

    @Override
    public void onComplete() {
      completed = true;
    }

    Observation observation(List<String> dispatches, Map<String, Long> counters) {
      if (completed == failed) {
        throw new IllegalStateException("stream has not ended exactly once");
      }
      return new Observation(dispatches, completed, texts.texts(), finishReasons, counters);
    }
  }
}
