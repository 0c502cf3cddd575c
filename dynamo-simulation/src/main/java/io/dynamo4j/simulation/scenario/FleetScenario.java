// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.scenario;

import io.dynamo4j.simulation.fleet.FleetConfig;
import io.dynamo4j.simulation.fleet.FleetSeams;
import io.dynamo4j.simulation.fleet.SimulatedFleet;
import io.dynamo4j.testkit.search.RunOutcome;
import io.dynamo4j.testkit.search.ScenarioRunner;
import io.dynamo4j.testkit.search.ScenarioSpec;
import io.dynamo4j.testkit.simulation.Mode;
import io.dynamo4j.testkit.simulation.Simulation;
import io.dynamo4j.testkit.simulation.SimulationFailure;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/** Plays one scenario of a whole fleet and judges it after every signal and at rest. */
public final class FleetScenario implements ScenarioRunner {
  private final LongFunction<FleetSeams> seams;
  private final int extraMigrations;

  /** Makes the scenario of the library as it is. */
  public FleetScenario() {
    this(new FleetSeams() {}, 0);
  }

  /**
   * Makes a scenario with something planted.
   *
   * @param seams stands on the client's side of ledger and faults
   * @param extraMigrations added to the migrator's limit, unknown to the ledger
   */
  public FleetScenario(FleetSeams seams, int extraMigrations) {
    this(limit -> seams, extraMigrations);
  }

  /**
   * Makes a scenario with something planted that knows the limit of migrations.
   *
   * @param seams makes, for each run, what stands on the client's side of ledger and faults
   * @param extraMigrations added to the migrator's limit, unknown to the ledger
   */
  public FleetScenario(LongFunction<FleetSeams> seams, int extraMigrations) {
    this.seams = seams;
    this.extraMigrations = extraMigrations;
  }

  @Override
  public RunOutcome run(ScenarioSpec spec) {
    Simulation simulation = Simulation.builder().seed(spec.seed()).mode(Mode.RANDOM_TIES).build();
    FleetConfig fleetConfig = ScenarioSettings.fleet(spec);
    Ledger ledger = new Ledger(fleetConfig);
    try {
      play(spec, simulation, fleetConfig, ledger);
    } catch (SimulationFailure failure) {
      RunOutcome.Violation found =
          ledger.firstViolation().map(FleetScenario::describe).orElseGet(() -> violation(failure));
      return RunOutcome.violated(simulation, found, ledger.facts());
    } catch (OracleViolation violation) {
      return RunOutcome.violated(simulation, describe(violation), ledger.facts());
    }
    return RunOutcome.clean(simulation, ledger.facts());
  }

  private void play(
      ScenarioSpec spec, Simulation simulation, FleetConfig fleetConfig, Ledger ledger) {
    FaultBook faults = new FaultBook(spec.faults());
    FaultHand hand = new FaultHand(simulation, ledger);
    FleetConfig planted =
        fleetConfig.toBuilder()
            .migrationLimit(fleetConfig.migrationLimit() + extraMigrations)
            .build();
    SimulatedFleet fleet =
        new SimulatedFleet(
            simulation,
            planted,
            new LedgerSeams(
                seams.apply(fleetConfig.migrationLimit()),
                ledger,
                faults,
                fleetConfig.policy(),
                simulation.controller()),
            hand::watch,
            ledger::heard);
    ledger.watch(fleet);
    simulation.afterEachEvent(ledger::rethrow);
    for (int number = 0; number < spec.requests(); number++) {
      ScenarioRequest request = ScenarioRequest.draw(spec, number);
      simulation
          .controller()
          .schedule(
              () -> arrive(simulation, fleet, ledger, faults, hand, request),
              request.arrivalNanos());
    }
    simulation.run();
    new Quiescence(ledger).check();
    ledger.count(RareStates.STREAMS, spec.requests());
    for (RequestEntry entry : ledger.requests()) {
      ledger.count(RareStates.TOKENS, entry.deliveredTokens());
      ledger.count(RareStates.ATTEMPTS, entry.attempts().size());
    }
  }

  private static void arrive(
      Simulation simulation,
      SimulatedFleet fleet,
      Ledger ledger,
      FaultBook faults,
      FaultHand hand,
      ScenarioRequest request) {
    RequestEntry entry = ledger.open(request);
    CheckedClient client = new CheckedClient(entry, ledger, faults, hand, simulation.controller());
    fleet.answer(request.toRequest()).subscribe(client);
  }

  private static RunOutcome.Violation violation(SimulationFailure failure) {
    @Nullable Throwable cause = failure;
    while (cause != null) {
      if (cause instanceof OracleViolation violation) {
        return describe(violation);
      }
      cause = cause.getCause();
    }
    return new RunOutcome.Violation(
        "SIMULATION", String.valueOf(failure.getMessage()).lines().findFirst().orElse(""));
  }

  private static RunOutcome.Violation describe(OracleViolation violation) {
    return new RunOutcome.Violation(
        violation.oracle().name(), String.valueOf(violation.getMessage()));
  }
}
