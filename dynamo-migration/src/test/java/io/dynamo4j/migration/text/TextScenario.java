// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration.text;

import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.FinishReason;
import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.model.SamplingOptions;
import io.dynamo4j.core.model.StopConditions;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.migration.Migrator;
import io.dynamo4j.migration.ReplayAdapter;
import io.dynamo4j.testkit.script.ScriptedDispatcher;
import io.dynamo4j.testkit.script.WorkerScript;
import io.dynamo4j.testkit.simulation.Simulation;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/** A random answer, stop conditions, and workers that produce it in pieces and break. */
final class TextScenario {
  private static final String[] CHARACTERS = {"a", "b", "c", "a", "b", "c", "é", "漢", "😀"};
  private static final TokenSlice PROMPT = TokenSlice.of('p', 'a');

  private final int[] answer;
  private final PreprocessedRequest request;
  private final List<WorkerScript> scripts;
  private final boolean lost;

  private TextScenario(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    StringBuilder text = new StringBuilder();
    for (int i = random.nextInt(14); i >= 0; i--) {
      text.append(CHARACTERS[random.nextInt(CHARACTERS.length)]);
    }
    this.answer = ByteTokens.encode(text.toString());
    this.lost = random.nextInt(4) == 0;
    this.scripts = scripts(random);
    StopConditions stop = StopMatcherTest.stop(random);
    this.request =
        PreprocessedRequest.builder("r" + seed, PROMPT)
            .stopConditions(stop.toBuilder().maxTokens(answer.length + random.nextInt(2)).build())
            .samplingOptions(
                SamplingOptions.builder().includeStopInOutput(random.nextBoolean()).build())
            .build();
  }

  static TextScenario of(long seed) {
    return new TextScenario(seed);
  }

  /** Cuts the answer into attempts, and these into chunks. */
  private List<WorkerScript> scripts(SplittableRandom random) {
    List<WorkerScript> made = new ArrayList<>();
    WorkerScript script = WorkerScript.open();
    for (int left = answer.length; left > 0; ) {
      int chunk = Math.min(left, 1 + random.nextInt(3));
      script = script.chunk(chunk);
      left -= chunk;
      if (left > 0 && random.nextInt(3) == 0) {
        made.add(script.fail(ErrorType.ENGINE_SHUTDOWN));
        script = WorkerScript.open();
      }
    }
    made.add(
        lost
            ? script.fail(ErrorType.BACKEND_UNKNOWN)
            : script.finish(FinishReason.LENGTH).complete());
    return made;
  }

  int attempts() {
    return scripts.size();
  }

  PreprocessedRequest request() {
    return request;
  }

  /** Returns the right text, by the naive way. */
  NaiveText expected() {
    StopConditions stop = request.stopConditions();
    boolean spent = answer.length >= stop.maxTokens();
    return NaiveText.of(
        answer, stop, request.samplingOptions().includeStopInOutput(), lost && !spent);
  }

  /** Returns whether the client gets an error at the end. */
  boolean fails() {
    return lost && answer.length < request.stopConditions().maxTokens() && !expected().stopped();
  }

  private ScriptedDispatcher workers() {
    ScriptedDispatcher workers =
        ScriptedDispatcher.generating(
            (prompt, generated) -> answer[prompt.length() - PROMPT.length() + generated.length()]);
    for (int i = 0; i < scripts.size(); i++) {
      workers.worker(i + 1L, scripts.get(i));
    }
    return workers;
  }

  /** Plays with the detokenizer above the migrator. */
  TextClient<LLMEngineOutput> playAbove() {
    Simulation simulation = Simulation.builder().build();
    Migrator<PreprocessedRequest, LLMEngineOutput> migrator =
        Migrator.builder()
            .limit(scripts.size())
            .adapter(ReplayAdapter.preprocessed())
            .dispatcher(workers())
            .environment(simulation.environment("gateway"))
            .build();
    TextClient<LLMEngineOutput> client = TextClient.unbounded();
    TextStream.overTokens(ByteTokens.detokenizers(), simulation.environment("gateway"))
        .over(migrator.migrate(request), request)
        .subscribe(client);
    simulation.run();
    return client;
  }

  /** Plays with a detokenizer in each attempt, below the migrator. */
  TextClient<TextItem<LLMEngineOutput>> playBelow() {
    Simulation simulation = Simulation.builder().build();
    ReplayAdapter<PreprocessedRequest, LLMEngineOutput> tokens = ReplayAdapter.preprocessed();
    Migrator<PreprocessedRequest, TextItem<LLMEngineOutput>> migrator =
        Migrator.builder()
            .limit(scripts.size())
            .adapter(TextItem.adapter(tokens))
            .dispatcher(DetokenizingDispatcher.of(workers(), tokens, ByteTokens.detokenizers()))
            .environment(simulation.environment("gateway"))
            .build();
    TextClient<TextItem<LLMEngineOutput>> client = TextClient.unbounded();
    TextStream.overText(tokens, simulation.environment("gateway"))
        .over(migrator.migrate(request), request)
        .subscribe(client);
    simulation.run();
    return client;
  }

  /** Plays as one would who restarts the text of each attempt with a new stream. */
  String playForgetful() {
    StringBuilder text = new StringBuilder();
    StopMatcher matcher = StopMatcher.of(request.stopConditions(), request.samplingOptions());
    int at = 0;
    for (int attempt = 0; attempt < scripts.size() && !matcher.isStopped(); attempt++) {
      // A detokenizer that is not primed with what came before.
      IncrementalDetokenizer fresh = ByteTokens.detokenizers().create(TokenSlice.empty());
      int end = attempt == scripts.size() - 1 ? answer.length : Math.min(answer.length, at + 2);
      while (at < end && !matcher.isStopped()) {
        text.append(matcher.append(answer[at], fresh.append(answer[at++])));
      }
    }
    return matcher.isStopped() ? text.toString() : text + matcher.flush();
  }

  @Override
  public String toString() {
    return "TextScenario[answer=" + Arrays.toString(answer) + ", scripts=" + scripts + "]";
  }
}
