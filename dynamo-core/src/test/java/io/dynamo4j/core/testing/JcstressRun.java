// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.testing;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One run of jcstress over the nested tests of some classes.
 *
 * @param passed configurations without a forbidden outcome
 * @param errors those that did not run to the end
 * @param failedTests simple names of tests with a forbidden outcome
 * @param text what jcstress wrote
 */
public record JcstressRun(int passed, int errors, SortedSet<String> failedTests, String text) {
  /** Classes of core's own tests, planted faults included. */
  public static final String ALL_OF_CORE =
      "RadixTreeStress|TokenAccumulatorStress|Planted\\w*Stress";

  /** Those with a planted fault, by nothing else. */
  public static final String PLANTED_OF_CORE = "Planted\\w*Stress";

  /** The tests in them, all of which must fail. */
  public static final SortedSet<String> PLANTED_FAULTS =
      Collections.unmodifiableSortedSet(
          new TreeSet<>(List.of("LengthBeforeContents", "LengthBeforeToken")));

  private static final Pattern COUNTS =
      Pattern.compile("(\\d+) passed, (\\d+) failed, (\\d+) soft errs, (\\d+) hard errs");
  private static final Pattern FAILED = Pattern.compile("\\[FAILED\\] [\\w.$]+?Stress[.$](\\w+)");

  public JcstressRun {
    failedTests = Collections.unmodifiableSortedSet(failedTests);
  }

  /**
   * Runs, in processes of its own.
   *
   * @param tests regular expression over names of classes
   * @param millis time of each configuration
   */
  public static JcstressRun of(Path folder, String tests, int millis)
      throws IOException, InterruptedException {
    ForkedJvm.Result result =
        ForkedJvm.run(
            folder,
            List.of("-Xmx256m"),
            "org.openjdk.jcstress.Main",
            "-t",
            tests,
            "-f",
            "1",
            "-fsm",
            "1",
            "-iters",
            "1",
            "-time",
            String.valueOf(millis),
            "-af",
            "NONE",
            "-sc",
            "false",
            "-jvmArgs",
            "-Xmx256m",
            "-r",
            folder.resolve("report").toString());
    Matcher counts = COUNTS.matcher(result.text());
    int passed = 0;
    int errors = result.text().isEmpty() ? 1 : 0;
    while (counts.find()) {
      passed = Integer.parseInt(counts.group(1));
      errors = Integer.parseInt(counts.group(3)) + Integer.parseInt(counts.group(4));
    }
    SortedSet<String> failedTests = new TreeSet<>();
    Matcher failed = FAILED.matcher(result.text());
    while (failed.find()) {
      failedTests.add(failed.group(1));
    }
    return new JcstressRun(passed, errors, failedTests, result.text());
  }
}
