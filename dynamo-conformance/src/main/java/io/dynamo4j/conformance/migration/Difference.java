// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.migration;

import io.dynamo4j.core.model.CompletionUsage;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Something that was recorded otherwise than it shows here. */
record Difference(Aspect aspect, String text) {

  /** Compares everything that a case shows. */
  static List<Difference> all(MigrationCase recorded, Seen theirs, Seen ours) {
    List<Difference> differences = new ArrayList<>();
    add(differences, Aspect.DISPATCHES, theirs.dispatches(), ours.dispatches());
    add(differences, Aspect.COUNTERS, theirs.counters(), ours.counters());
    for (int i = 0; i < theirs.answers().size(); i++) {
      ClientSetup client = recorded.clients().get(i);
      addAnswer(differences, recorded, client, theirs.answers().get(i), ours.answers().get(i));
    }
    return differences;
  }

  private static void addAnswer(
      List<Difference> differences,
      MigrationCase recorded,
      ClientSetup client,
      Answer theirs,
      Answer ours) {
    boolean completed = theirs.end().equals(Answer.COMPLETED);
    // An answer in one piece that failed shows nothing; a parsed one shows other text.
    boolean textShows = client.isStreamed() || completed;
    boolean parsed = recorded.isParsed() || client.body().has("tools");
    add(differences, Aspect.END, theirs.end(), ours.end());
    if (textShows && !parsed) {
      add(differences, Aspect.TEXTS, theirs.texts(), ours.texts());
      add(differences, Aspect.FINISH_REASONS, theirs.finishReasons(), ours.finishReasons());
    }
    if (!theirs.logProbs().isEmpty()) {
      add(differences, Aspect.LOG_PROBS, theirs.logProbs(), ours.logProbs());
    }
    add(differences, Aspect.ANNOTATIONS, theirs.annotations(), ours.annotations());
    if (theirs.usage() != null && completed) {
      add(differences, Aspect.USAGE, shown(theirs.usage()), shown(ours.usage()));
    }
  }

  /** Who does not know how much was cached says zero. */
  private static String shown(@Nullable CompletionUsage usage) {
    return usage == null
        ? "none"
        : usage.promptTokens()
            + "+"
            + usage.completionTokens()
            + ", cached "
            + Math.max(0, usage.cachedTokens());
  }

  private static void add(List<Difference> differences, Aspect aspect, Object theirs, Object ours) {
    if (!theirs.equals(ours)) {
      differences.add(new Difference(aspect, aspect + ": recorded=" + theirs + ", ours=" + ours));
    }
  }
}
