// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.migration;

import io.dynamo4j.core.model.CompletionUsage;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Something that was recorded otherwise than it shows here. */
record Difference(Aspect aspect, String text) {

  /** Compares everything that a case shows. */
  static List<Difference> all(MigrationCase recorded, Seen theirs, Seen ours) {
    List<Difference> differences = new ArrayList<>();
    add(differences, Aspect.DISPATCHES, theirs.dispatches(), ours.dispatches());
    if (!WorkerEvents.agree(theirs.events(), ours.events())) {
      add(differences, Aspect.EVENTS, theirs.events(), ours.events());
    }
    add(differences, Aspect.COUNTERS, theirs.counters(), ours.counters());
    add(differences, Aspect.OUTCOMES, theirs.outcomes(), ours.outcomes());
    if (!isParsed(recorded) && !hasLeastLength(recorded)) {
      add(differences, Aspect.OUTPUT_TOKENS, theirs.outputTokens(), ours.outputTokens());
    }
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
    boolean parsed = isParsed(recorded);
    add(differences, Aspect.END, theirs.end(), ours.end());
    if (textShows && !parsed) {
      add(differences, Aspect.TEXTS, theirs.texts(), ours.texts());
      if (!areOfOneAnswer(theirs.texts(), ours.texts())) {
        add(differences, Aspect.CONTENT, theirs.texts(), ours.texts());
      }
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

  /** There, nothing is withheld before the least length, and pieces show something earlier. */
  private static boolean hasLeastLength(MigrationCase recorded) {
    return recorded.clients().stream().anyMatch(client -> client.body().has("min_tokens"));
  }

  /** Answers end earlier or later by the rules; none makes other text of what both have. */
  private static boolean areOfOneAnswer(Map<Integer, String> theirs, Map<Integer, String> ours) {
    return theirs.entrySet().stream()
        .allMatch(
            each -> {
              String text = ours.getOrDefault(each.getKey(), "");
              return text.startsWith(each.getValue()) || each.getValue().startsWith(text);
            });
  }

  private static boolean isParsed(MigrationCase recorded) {
    return recorded.isParsed()
        || recorded.clients().stream().anyMatch(client -> client.body().has("tools"));
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
