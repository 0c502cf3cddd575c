// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import io.dynamo4j.conformance.Replay.Deviation;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Replays cases and judges each by the two lists of what is known. */
final class Conformance {
  private final List<CaseReader> readers;
  private final List<NotOursRule> notOursRules;
  private final KnownCases notOurs;
  private final KnownCases differences;

  private Conformance(
      List<CaseReader> readers,
      List<NotOursRule> notOursRules,
      KnownCases notOurs,
      KnownCases differences) {
    this.readers = List.copyOf(readers);
    this.notOursRules = List.copyOf(notOursRules);
    this.notOurs = notOurs;
    this.differences = differences;
  }

  /**
   * Reads {@code not-ours.txt} and {@code differences.txt} of a folder.
   *
   * @throws MalformedCaseException if one of them cannot be understood
   */
  static Conformance of(
      List<CaseReader> readers, List<NotOursRule> notOursRules, Path listsFolder) {
    return new Conformance(
        readers,
        notOursRules,
        KnownCases.read(listsFolder.resolve("not-ours.txt")),
        KnownCases.read(listsFolder.resolve("differences.txt")));
  }

  /** Judges everything found; one verdict a case, file or folder. */
  void judge(CaseFiles found, Consumer<Verdict> sink) {
    for (String fault : found.faults()) {
      sink.accept(Verdict.failed("folder", fault));
    }
    for (CaseFile file : found.files()) {
      judge(file, sink);
    }
  }

  /** Judges the lists: an entry that no case has used so far is a failure. */
  void judgeUnusedEntries(Consumer<Verdict> sink) {
    for (KnownCases list : List.of(notOurs, differences)) {
      for (String entry : list.unused()) {
        sink.accept(Verdict.failed(entry, "matches no case: list=" + list));
      }
    }
  }

  private void judge(CaseFile file, Consumer<Verdict> sink) {
    List<GoldenCase> cases;
    try {
      cases = file.read();
    } catch (MalformedCaseException e) {
      sink.accept(Verdict.failed(file.id(), String.valueOf(e.getMessage())));
      return;
    }
    if (cases.isEmpty()) {
      sink.accept(Verdict.skipped(file.id(), "recording without a line"));
    }
    List<JsonNode> earlier = new ArrayList<>();
    for (GoldenCase each : cases) {
      sink.accept(judge(each, Collections.unmodifiableList(earlier)));
      earlier.add(each.content());
    }
  }

  private Verdict judge(GoldenCase each, List<JsonNode> earlier) {
    String reason = reasonToSkip(each);
    if (reason != null) {
      return Verdict.skipped(each.id(), reason);
    }
    List<CaseReader> able = readers.stream().filter(r -> r.reads(each.content())).toList();
    if (able.size() != 1) {
      String names = String.join(", ", able.stream().map(CaseReader::name).toList());
      return Verdict.failed(
          each.id(), able.isEmpty() ? "no reader knows its keys" : "several readers: " + names);
    }
    return replay(each, able.get(0), earlier)
        .passingOver(able.get(0).keys().unknown(each.content()));
  }

  private @Nullable String reasonToSkip(GoldenCase each) {
    String reason = notOurs.use(each.id());
    for (NotOursRule rule : notOursRules) {
      if (reason == null && rule.covers().test(each.content())) {
        reason = notOurs.use(rule.name());
      }
    }
    return reason;
  }

  /** Any exception fails the case that threw it, and only that. */
  private Verdict replay(GoldenCase each, CaseReader reader, List<JsonNode> earlier) {
    Replay replay;
    try {
      replay = reader.replay(each.content(), earlier);
    } catch (RuntimeException e) {
      return Verdict.failed(
          each.id(), e instanceof MalformedCaseException ? e.getMessage() + "" : e.toString());
    }
    List<String> faults = new ArrayList<>(replay.faults());
    Set<String> rows = new TreeSet<>();
    String ownRow = differences.use(each.id());
    if (ownRow != null && replay.deviations().isEmpty()) {
      faults.add("is listed as a difference and does not differ");
    }
    for (Deviation deviation : replay.deviations()) {
      String row = differences.use(deviation.rule());
      if (row == null && ownRow == null) {
        faults.add(deviation.text() + " (rule " + deviation.rule() + " is not listed)");
      } else {
        rows.add(row != null ? deviation.rule() + " → " + row : String.valueOf(ownRow));
      }
    }
    return faults.isEmpty()
        ? Verdict.passed(each.id(), reader.name() + differing(rows))
        : Verdict.failed(each.id(), summary(faults));
  }

  private static String differing(Set<String> rows) {
    return rows.isEmpty() ? "" : ", differs: " + String.join(", ", rows);
  }

  private static String summary(List<String> faults) {
    String more = faults.size() > 1 ? " (and " + (faults.size() - 1) + " more)" : "";
    return faults.get(0) + more;
  }
}
