// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.examples.propertytests;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.model.StopConditions;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.migration.MigrationOptions;
import io.dynamo4j.testkit.contracts.MigrationArbitraries;
import io.dynamo4j.testkit.contracts.MigratorFactory;
import io.dynamo4j.testkit.contracts.MigratorPropertyContract;
import io.dynamo4j.testkit.script.ScriptedDispatcher;
import io.dynamo4j.testkit.script.WorkerScript;
import io.dynamo4j.testkit.simulation.Simulation;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Flow;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;

/** The contract over arbitrary failures, and what this migrator adds to it. */
class BillingMigratorPropertyTest extends MigratorPropertyContract {

  @Override
  protected MigratorFactory factory() {
    return BillingMigrators::create;
  }

  @Provide
  Arbitrary<List<WorkerScript>> workers() {
    return MigrationArbitraries.scripts();
  }

  @Property
  void shouldBillEveryTokenOnceHoweverManyWorkersItTook(
      @ForAll("workers") List<WorkerScript> workers,
      @ForAll @IntRange(min = 1, max = 24) int tokens) {
    Simulation simulation = Simulation.builder().seed(1).build();
    ScriptedDispatcher dispatcher = ScriptedDispatcher.create();
    for (int i = 0; i < workers.size(); i++) {
      dispatcher.worker(i + 1, workers.get(i));
    }
    MigrationOptions options =
        MigrationOptions.builder().limit(9).stallTimeout(Duration.ofSeconds(1)).build();
    BillingMigrator migrator =
        BillingMigrators.create(options, dispatcher, simulation.environment("gateway"));
    PreprocessedRequest request =
        PreprocessedRequest.builder("r1", TokenSlice.of(1, 2, 3))
            .stopConditions(StopConditions.builder().maxTokens(tokens).build())
            .build();
    Counting client = new Counting();
    simulation.controller().execute(() -> migrator.migrate(request, options).subscribe(client));
    simulation.run();

    assertThat(client.ended).isTrue();
    assertThat(migrator.billedTokens()).isEqualTo(client.tokens).isLessThanOrEqualTo(tokens);
  }

  private static final class Counting implements Flow.Subscriber<LLMEngineOutput> {
    private long tokens;
    private boolean ended;

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
      subscription.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(LLMEngineOutput item) {
      tokens += item.tokenIds().length();
    }

    @Override
    public void onError(Throwable failure) {
      ended = true;
    }

    @Override
    public void onComplete() {
      ended = true;
    }
  }
}
