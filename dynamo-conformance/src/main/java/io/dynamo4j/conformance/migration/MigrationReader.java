// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.migration;

import com.fasterxml.jackson.databind.JsonNode;
import io.dynamo4j.conformance.CaseReader;
import io.dynamo4j.conformance.Replay;
import java.util.List;

/**
 * Recorded failures of workers while they answer: what each worker received, what each client got,
 * what was counted. HTTP status and framing are not compared.
 *
 * <p>A case is played with its own scripts through text, migration and routing. Where chance had a
 * part when it was recorded, the choices that chance could make are tried until one gives what was
 * recorded. Each time what our side shows must be right by a walk through the scripts that shares
 * no code with it; and where it is not what was recorded, that walk must have come to a point where
 * the recorded peer is known to be wrong.
 */
public final class MigrationReader implements CaseReader {
  /** After so many choices one under which the peer is wrong by a rule will do. */
  private static final int ENOUGH = 24;

  @Override
  public String name() {
    return "migration";
  }

  @Override
  public boolean reads(JsonNode content) {
    return MigrationCase.isOne(content);
  }

  @Override
  public Replay replay(JsonNode content) {
    MigrationCase recorded = MigrationCase.of(content);
    Seen theirs = RecordedCase.of(recorded);
    Replay faults = Replay.create();
    CaseFields.judge(content, faults);
    RecordedCase.judgeShortForm(recorded, theirs, faults);
    if (!faults.faults().isEmpty()) {
      return faults;
    }
    Replay best = faults;
    int tried = 0;
    for (Choice choice : Choice.all(recorded)) {
      Replay replay = replay(recorded, choice, theirs);
      boolean right = replay.faults().isEmpty();
      if (right && replay.deviations().isEmpty()) {
        return replay;
      }
      if (tried++ == 0 || (right && !best.faults().isEmpty())) {
        best = replay;
      }
      if (tried >= ENOUGH && best.faults().isEmpty()) {
        return best;
      }
    }
    return best;
  }

  private static Replay replay(MigrationCase recorded, Choice choice, Seen theirs) {
    Replay replay = Replay.create();
    OurRun run = OurRun.of(recorded, choice);
    RightCase right = RightCase.of(run);
    Seen ours = run.seen();
    right.faults().forEach(replay::fault);
    replay.same("dispatches", right.seen().dispatches(), ours.dispatches());
    replay.same("answers", right.seen().answers(), ours.answers());
    replay.same("counters", right.seen().counters(), ours.counters());
    replay.same("outcomes", right.seen().outcomes(), ours.outcomes());
    replay.same("outputTokens", right.seen().outputTokens(), ours.outputTokens());
    for (Difference difference : Difference.all(recorded, theirs, ours)) {
      List<Rule> rules =
          right.rules().stream().filter(rule -> rule.explains(difference.aspect())).toList();
      if (rules.isEmpty()) {
        replay.fault(difference.text());
      }
      rules.forEach(rule -> replay.deviation(rule.listed(), difference.text()));
    }
    return replay;
  }
}
