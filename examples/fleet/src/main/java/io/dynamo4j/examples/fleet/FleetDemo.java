// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.examples.fleet;

import io.dynamo4j.simulation.fleet.FleetConfig;
import io.dynamo4j.simulation.fleet.FleetPolicy;
import io.dynamo4j.simulation.fleet.FleetResult;
import io.dynamo4j.simulation.fleet.FleetRun;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Serves one trace with several routing policies in virtual time, or in real time over real planes,
 * kills workers in mid-stream and compares what the clients saw.
 *
 * <p>Exit code 0 when the run ends, failed streams included; 1 if a token was lost, repeated or
 * wrong; 2 for bad input, with one line on standard error; 3 for a fault of the program itself.
 */
@Command(
    name = "bin/demo",
    sortOptions = false,
    description =
        "Serves one trace with KV-aware, round-robin, random and least-loaded routing, kills workers in mid-stream and checks every token.")
public final class FleetDemo implements Callable<Integer> {

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help and exit.")
  @SuppressWarnings("UnusedVariable") // picocli sets it
  private boolean help;

  private static final int EXIT_TOKENS = 1;
  private static final int EXIT_INPUT = 2;
  private static final int EXIT_INTERNAL = 3;

  @Mixin private DemoOptions options = new DemoOptions();

  private final PrintStream out;
  private final PrintStream err;

  private FleetDemo(PrintStream out, PrintStream err) {
    this.out = out;
    this.err = err;
  }

  public static void main(String[] args) {
    PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
    System.exit(run(out, System.err, args));
  }

  /** Runs the command and returns its exit code. */
  static int run(PrintStream out, PrintStream err, String... args) {
    FleetDemo demo = new FleetDemo(out, err);
    CommandLine command = new CommandLine(demo);
    command.setOut(new PrintWriter(new OutputStreamWriter(out, StandardCharsets.UTF_8), true));
    command.setParameterExceptionHandler((failure, unmatched) -> demo.refuse(failure));
    command.setExecutionExceptionHandler(
        (failure, line, result) -> {
          if (failure instanceof DemoInputException
              || failure instanceof IllegalArgumentException) {
            return demo.refuse(failure);
          }
          err.println("bin/demo: internal error: " + failure);
          return EXIT_INTERNAL;
        });
    try {
      int code = command.execute(args);
      return code == 0 && out.checkError() ? demo.refuse(closedOutput()) : code;
    } catch (OutOfMemoryError e) {
      err.println("bin/demo: not enough memory for so many workers, blocks or requests");
      return EXIT_INPUT;
    }
  }

  private static DemoInputException closedOutput() {
    return new DemoInputException("cannot write to standard output");
  }

  private int refuse(Throwable failure) {
    String reason = String.valueOf(failure.getMessage());
    err.println("bin/demo: " + reason.lines().findFirst().orElse("bad input"));
    return EXIT_INPUT;
  }

  @Override
  public Integer call() throws IOException {
    Set<FleetPolicy> policies = options.fleetPolicies();
    DemoPlane plane = options.demoPlane();
    FleetConfig fleet = options.fleet();
    DemoTrace trace = DemoInput.read(options, fleet);
    if (options.report != null) {
      write(options.report, ""); // a page that cannot be written is better known before the run
    }
    ProgressBar progress =
        new ProgressBar(err, !options.json && Boolean.getBoolean("dynamo4j.terminal"));
    List<PolicyOutcome> outcomes =
        plane == DemoPlane.MEMORY
            ? simulated(fleet, policies, trace, progress)
            : live(plane, fleet, policies, trace, progress);
    progress.clear();
    if (options.report != null) {
      write(options.report, HtmlReport.of(trace, fleet, outcomes));
    }
    print(
        options.json
            ? JsonSummary.of(trace, fleet, outcomes) + "\n"
            : heading(trace, fleet) + SummaryTable.of(trace, outcomes));
    boolean exact = outcomes.stream().allMatch(o -> o.result().tokens().isExact());
    return exact ? 0 : EXIT_TOKENS;
  }

  private static List<PolicyOutcome> simulated(
      FleetConfig fleet, Set<FleetPolicy> policies, DemoTrace trace, ProgressBar progress) {
    List<PolicyOutcome> outcomes = new ArrayList<>();
    for (FleetPolicy policy : policies) {
      outcomes.add(serve(fleet.toBuilder().policy(policy).build(), trace, progress));
    }
    return outcomes;
  }

  /** Serves the trace over real planes, each policy after a run in virtual time to compare with. */
  private List<PolicyOutcome> live(
      DemoPlane plane,
      FleetConfig fleet,
      Set<FleetPolicy> policies,
      DemoTrace trace,
      ProgressBar progress)
      throws IOException {
    List<PolicyOutcome> outcomes = new ArrayList<>();
    try (LiveDemo demo = LiveDemo.open(plane, options.timeScale, fleet)) {
      demo.warmUp(fleet, trace);
      for (PolicyOutcome simulated : simulated(fleet, policies, trace, progress)) {
        outcomes.add(demo.serve(simulated, trace, progress));
      }
    }
    return outcomes;
  }

  private static PolicyOutcome serve(FleetConfig fleet, DemoTrace trace, ProgressBar progress) {
    long start = System.nanoTime();
    String name = fleet.policy().optionName();
    FleetResult result =
        FleetRun.run(
            fleet, trace.rows(), arrived -> progress.show(name, arrived, trace.rows().size()));
    return new PolicyOutcome(
        fleet.policy(), result, System.nanoTime() - start, OptionalDouble.empty());
  }

  private static String heading(DemoTrace trace, FleetConfig fleet) {
    return String.format(
        Locale.ROOT,
        "%s: %,d requests, %d workers of %,d blocks of %d tokens, seed %d%n%n",
        trace.name(),
        trace.rows().size(),
        fleet.workers(),
        fleet.blocks(),
        fleet.blockSize(),
        fleet.seed());
  }

  /** Standard output may be closed by a reader that has seen enough: that is an input fault. */
  private void print(String text) {
    out.print(text);
    if (out.checkError()) {
      throw closedOutput();
    }
  }

  private static void write(Path file, String text) {
    try {
      Files.writeString(file, text);
    } catch (IOException e) {
      throw new DemoInputException(
          "cannot write the report: file=" + file + ", reason=" + reason(e));
    }
  }

  private static String reason(IOException e) {
    if (e instanceof NoSuchFileException) {
      return "its folder does not exist";
    }
    return e instanceof AccessDeniedException ? "access is denied" : "it is no writable file";
  }
}
