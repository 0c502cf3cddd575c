// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance;

import io.dynamo4j.conformance.Verdict.Outcome;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Command line of the conformance check: exit 0 if something passed and nothing failed. */
@Command(
    name = "conformance",
    description = {
      "Replays recorded cases of real peers: *.json and *.jsonl, each by the reader that knows its"
          + " keys; names what it skips, and why.",
      "Exit code 0 if something passed and nothing failed, 1 otherwise, 2 for bad arguments."
    })
public final class ConformanceMain implements Callable<Integer> {

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help and exit.")
  @SuppressWarnings("UnusedVariable") // picocli sets it
  private boolean help;

  @Spec private @Nullable CommandSpec spec;

  @Parameters(paramLabel = "PATH", arity = "1..*", description = "Files and folders of cases.")
  private List<Path> paths = List.of();

  @Option(names = "--list", description = "Name each case, not only the failed ones.")
  private boolean list;

  @Option(
      names = "--complete",
      description =
          "Fail too if a case has a key that its reader does not know, or an entry of not-ours.txt or differences.txt matches no case.")
  private boolean complete;

  @Option(
      names = "--lists",
      paramLabel = "FOLDER",
      description =
          "Folder of not-ours.txt and differences.txt (default: conformance in the root of the clone).")
  private @Nullable Path listsFolder;

  private final Map<Outcome, Integer> counts = new EnumMap<>(Outcome.class);

  /** Skipped cases by their file and the reason. */
  private final Map<String, Integer> skipped = new LinkedHashMap<>();

  private ConformanceMain() {}

  public static void main(String[] args) {
    int code =
        run(
            new PrintWriter(System.out, false, StandardCharsets.UTF_8),
            new PrintWriter(System.err, true, StandardCharsets.UTF_8),
            args);
    System.exit(code);
  }

  /** Runs with given streams and returns the exit code. */
  static int run(PrintWriter out, PrintWriter err, String... args) {
    int code =
        new CommandLine(new ConformanceMain())
            .setOut(out)
            .setErr(err)
            .setParameterExceptionHandler((e, ignored) -> refuse(err, e))
            .setExecutionExceptionHandler((e, command, result) -> refuse(err, e))
            .execute(args);
    if (out.checkError()) {
      err.println("conformance: standard output is closed");
      return 2;
    }
    return code;
  }

  private static int refuse(PrintWriter err, Exception e) {
    err.println("conformance: " + (e.getMessage() == null ? e : e.getMessage()));
    return 2;
  }

  @Override
  public Integer call() {
    if (listsFolder != null && !Files.isDirectory(listsFolder)) {
      throw new IllegalArgumentException("--lists is no folder: path=" + listsFolder);
    }
    Conformance conformance =
        Conformance.of(
            Readers.all(),
            NotOursRules.all(),
            listsFolder != null ? listsFolder : rootOfTheClone().resolve("conformance"));
    conformance.judge(CaseFiles.under(paths), this::tell);
    if (complete) {
      conformance.judgeUnusedEntries(this::tell);
    }
    skipped.forEach((reason, cases) -> out().println("SKIPPED " + cases + " of " + reason));
    int passed = count(Outcome.PASSED);
    int failed = count(Outcome.FAILED);
    out().printf("%d passed, %d failed, %d skipped%n", passed, failed, count(Outcome.SKIPPED));
    return passed > 0 && failed == 0 ? 0 : 1;
  }

  private void tell(Verdict judged) {
    Verdict verdict = complete ? judged.whole() : judged;
    if (!verdict.unread().isEmpty()) {
      out().println("UNREAD " + verdict.id() + ": " + String.join(", ", verdict.unread()));
    }
    counts.merge(verdict.outcome(), 1, Integer::sum);
    if (list || verdict.outcome() == Outcome.FAILED) {
      out().println(verdict);
    } else if (verdict.outcome() == Outcome.SKIPPED) {
      String file = verdict.id().replaceFirst("#.*", "");
      skipped.merge(file + ": " + verdict.text(), 1, Integer::sum);
    }
  }

  private int count(Outcome outcome) {
    return counts.getOrDefault(outcome, 0);
  }

  private PrintWriter out() {
    if (spec == null) {
      throw new IllegalStateException("command line is not parsed yet");
    }
    return spec.commandLine().getOut();
  }

  private static Path rootOfTheClone() {
    String named = System.getProperty("dynamo4j.root");
    if (named != null) {
      return Path.of(named);
    }
    Path here = Path.of("").toAbsolutePath();
    for (Path folder = here; folder != null; folder = folder.getParent()) {
      if (Files.isDirectory(folder.resolve(".mvn"))) {
        return folder;
      }
    }
    return here;
  }
}
