// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.migration;

import com.fasterxml.jackson.databind.JsonNode;
import io.dynamo4j.core.model.CompletionUsage;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.plane.FailureVerdict;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** What is right for a whole case, given to whom our run sent its requests. */
final class RightCase {
  private final OurRun run;
  private final MigrationCase recorded;
  private final Set<Rule> rules = EnumSet.noneOf(Rule.class);
  private final List<String> faults = new ArrayList<>();
  private final Map<String, Long> counters = new TreeMap<>();
  private final Map<String, List<String>> dispatches = new LinkedHashMap<>();
  private final List<Answer> answers = new ArrayList<>();
  private final List<Chosen> chosen = new ArrayList<>();
  private final List<Lost> losses = new ArrayList<>();
  private int requests;
  private long outputTokens;

  /** A worker that was chosen, and those that were out for this request alone. */
  private record Chosen(int request, long atNanos, Set<String> excluded) {}

  private record Lost(int request, String worker, ErrorType type, boolean wasOpen, long atNanos) {}

  private RightCase(OurRun run) {
    this.run = run;
    this.recorded = run.recorded();
  }

  static RightCase of(OurRun run) {
    RightCase right = new RightCase(run);
    for (ClientRun client : run.clients()) {
      right.answers.add(right.answer(client));
    }
    right.judgeMemory();
    return right;
  }

  Seen seen() {
    long left = answers.stream().filter(each -> each.end().equals(Answer.LEFT)).count();
    return new Seen(
        Dispatches.sorted(dispatches.values()),
        run.seen().events(),
        answers,
        counters,
        outputTokens,
        Outcomes.of(recorded, answers, left));
  }

  Set<Rule> rules() {
    return rules;
  }

  /** Returns what our run did that no answer can be right about. */
  List<String> faults() {
    return faults;
  }

  private Answer answer(ClientRun client) {
    if (client.setup().isMalformed()) {
      return new Answer(Answer.failed(400), Map.of(), Map.of(), null, List.of(), List.of());
    }
    Map<Integer, String> texts = new TreeMap<>();
    Map<Integer, List<String>> finishReasons = new TreeMap<>();
    List<String> logProbs = List.of();
    CompletionUsage usage = null;
    String end = Answer.COMPLETED;
    int firstChoice = 0;
    boolean anything = false;
    for (PreprocessedRequest request : client.requests()) {
      RightRequest right = new RightRequest(run, this, requests++, request, client);
      right.walk();
      if (!right.dispatches().isEmpty()) {
        dispatches.put(request.requestId(), right.dispatches());
      }
      outputTokens += right.stream().outputTokens();
      int first = firstChoice;
      right.stream().texts().forEach((choice, text) -> texts.put(first + choice, text));
      right.stream()
          .finishReasons()
          .forEach((choice, reasons) -> finishReasons.put(first + choice, reasons));
      logProbs = first == 0 ? right.stream().logProbs(recorded.reportsLogProbs()) : logProbs;
      CompletionUsage each = right.stream().usage(right.end());
      usage = sum(usage, each);
      anything |= each != null;
      end = end.equals(Answer.COMPLETED) ? right.end() : end;
      firstChoice += request.samplingOptions().n();
    }
    return new Answer(
        end,
        texts,
        finishReasons,
        usage,
        logProbs,
        anything ? RecordedAnswer.annotations(client.setup().recorded()) : List.of());
  }

  private static @Nullable CompletionUsage sum(
      @Nullable CompletionUsage a, @Nullable CompletionUsage b) {
    if (a == null || b == null) {
      return a == null ? b : a;
    }
    return new CompletionUsage(
        a.promptTokens() + b.promptTokens(),
        a.completionTokens() + b.completionTokens(),
        CompletionUsage.UNKNOWN);
  }

  // What walks report.

  void touch(Rule rule) {
    rules.add(rule);
  }

  void fault(String text) {
    faults.add(text);
  }

  void count(String name) {
    counters.merge(name, 1L, Long::sum);
  }

  void chosen(int request, Leg leg, Set<String> excluded) {
    chosen.add(new Chosen(request, leg.sentNanos, new TreeSet<>(excluded)));
  }

  void lost(int request, String worker, ErrorType type, boolean wasOpen, long atNanos) {
    losses.add(new Lost(request, worker, type, wasOpen, atNanos));
  }

  /** A request goes on elsewhere: its session too, which a pin to its worker prevents. */
  void retried() {
    touchIfRecordedRepeats();
    if (recorded.setup().hasAffinity() && !recorded.setup().hasSoftAffinity()) {
      touch(Rule.SESSION_FOLLOWS);
    }
  }

  /** Touches the rule if the recorded peer sent a request again to a worker that had failed it. */
  void touchIfRecordedRepeats() {
    for (List<JsonNode> attempts : recorded.recordedDispatches().values()) {
      Set<String> seen = new TreeSet<>();
      for (JsonNode attempt : attempts) {
        String worker = attempt.path("worker").asText();
        if (!recorded.worker(worker).prefill() && !seen.add(worker)) {
          touch(Rule.FAILED_WORKER_EXCLUDED);
        }
      }
    }
  }

  // Failure memory.

  /**
   * Touches the rule if at some choice the recorded peer would have left out other workers than is
   * right, beside those that failed this very request; or all of them.
   */
  private void judgeMemory() {
    long window = recorded.setup().inhibitionNanos();
    for (Chosen each : chosen) {
      Set<String> theirs = new TreeSet<>();
      Set<String> ours = new TreeSet<>();
      for (Lost loss : losses) {
        if (isBefore(loss, each) && each.atNanos - loss.atNanos < window) {
          // There, a worker that appears lifts what is held against the others.
          boolean lifted = run.fleet().cameBetween(loss.atNanos, each.atNanos);
          if (inhibitsThere(loss) && !lifted) {
            theirs.add(loss.worker);
          }
          if (FailureVerdict.ofDefaults(loss.type) != FailureVerdict.IGNORED) {
            ours.add(loss.worker);
          }
        }
      }
      Set<String> there = run.fleet().registeredAt(each.atNanos);
      boolean allOut = !there.isEmpty() && theirs.containsAll(there);
      theirs.removeAll(each.excluded);
      ours.removeAll(each.excluded);
      if (allOut || !theirs.equals(ours)) {
        touch(Rule.FAILURE_MEMORY);
      }
    }
  }

  private static boolean isBefore(Lost loss, Chosen choice) {
    return loss.atNanos < choice.atNanos
        || (loss.atNanos == choice.atNanos && loss.request < choice.request);
  }

  private static boolean inhibitsThere(Lost loss) {
    if (!loss.wasOpen) {
      return loss.type != ErrorType.WORKER_OVERLOADED;
    }
    return switch (loss.type) {
      case DISCONNECTED, RESPONSE_TIMEOUT, ENGINE_SHUTDOWN, STREAM_INCOMPLETE, WORKER_UNAVAILABLE ->
          true;
      default -> false;
    };
  }
}
