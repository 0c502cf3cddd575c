// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration.text;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.model.FinishReason;
import io.dynamo4j.core.model.LLMEngineOutput;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** However an answer is cut into chunks and broken, its text is that of the unbroken run. */
class TextStreamPropertyTest {
  private static final int SCENARIOS = 3_000;

  @Test
  void shouldGiveTheTextOfTheUnbrokenRunWhereverTheAnswerBreaks() {
    int broken = 0;
    int stopped = 0;
    int failed = 0;
    for (long seed = 1; seed <= SCENARIOS; seed++) {
      TextScenario scenario = TextScenario.of(seed);
      NaiveText expected = scenario.expected();

      TextClient<LLMEngineOutput> client = scenario.playAbove();

      String what = "seed=" + seed + ", " + scenario;
      assertThat(client.text()).as(what).isEqualTo(expected.text());
      assertThat(client.error != null).as(what).isEqualTo(scenario.fails());
      assertThat(client.completed).as(what).isEqualTo(!scenario.fails());
      assertThat(client.finishReasons()).as(what).isEqualTo(reasons(scenario, expected));
      if (!scenario.fails()) {
        assertThat(client.outputs.get(client.outputs.size() - 1).usage().completionTokens())
            .as(what)
            .isEqualTo(expected.tokens());
      }
      broken += scenario.attempts() > 1 ? 1 : 0;
      stopped += expected.stopped() ? 1 : 0;
      failed += scenario.fails() ? 1 : 0;
    }
    assertThat(broken).isGreaterThan(SCENARIOS / 3);
    assertThat(stopped).isGreaterThan(SCENARIOS / 10);
    assertThat(failed).isGreaterThan(SCENARIOS / 50);
  }

  private static List<FinishReason> reasons(TextScenario scenario, NaiveText expected) {
    if (expected.stopped()) {
      return List.of(FinishReason.STOP);
    }
    return scenario.fails() ? List.of() : List.of(FinishReason.LENGTH);
  }

  @Test
  void shouldGiveTheSameTextAboveAndBelowTheDetokenizer() {
    for (long seed = 1; seed <= SCENARIOS; seed++) {
      TextScenario scenario = TextScenario.of(seed);

      TextClient<LLMEngineOutput> above = scenario.playAbove();
      TextClient<TextItem<LLMEngineOutput>> below = scenario.playBelow();

      String what = "seed=" + seed + ", " + scenario;
      assertThat(pieces(below)).as(what).isEqualTo(pieces(above));
      assertThat(below.completed).as(what).isEqualTo(above.completed);
    }
  }

  /** Every output as it shows: not only the text, but where it is cut. */
  private static <R> List<String> pieces(TextClient<R> client) {
    List<String> pieces = new ArrayList<>();
    for (TextOutput<R> output : client.outputs) {
      pieces.add(
          output.text()
              + "|"
              + output.tokenIds().length()
              + "|"
              + output.finishReason()
              + "|"
              + output.usage()
              + "|"
              + output.isFirst());
    }
    return pieces;
  }

  @Test
  void shouldFindOutADetokenizerThatForgetsWhatCameBefore() {
    int wrong = 0;
    for (long seed = 1; seed <= SCENARIOS; seed++) {
      TextScenario scenario = TextScenario.of(seed);
      if (!scenario.playForgetful().equals(scenario.expected().text())) {
        wrong++;
      }
    }
    assertThat(wrong).isGreaterThan(SCENARIOS / 50);
  }
}
