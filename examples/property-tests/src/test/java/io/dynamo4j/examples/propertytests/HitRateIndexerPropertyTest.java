// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.examples.propertytests;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.model.OverlapScores;
import io.dynamo4j.testkit.contracts.KvIndexerArbitraries;
import io.dynamo4j.testkit.contracts.KvIndexerFactory;
import io.dynamo4j.testkit.contracts.KvIndexerPropertyContract;
import io.dynamo4j.testkit.simulation.Simulation;
import java.util.List;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** The contract over arbitrary event streams, and what this index adds to it. */
class HitRateIndexerPropertyTest extends KvIndexerPropertyContract {

  @Override
  protected KvIndexerFactory factory() {
    return HitRateIndexers::create;
  }

  @Provide
  Arbitrary<List<long[]>> questions() {
    return KvIndexerArbitraries.prompts().list().ofMaxSize(10);
  }

  @Property(tries = 100)
  void shouldCountNothingFoundInAnEmptyIndex(@ForAll("questions") List<long[]> questions) {
    Simulation simulation = Simulation.builder().seed(1).build();
    HitRateIndexer index = HitRateIndexers.create(16, simulation.environment("router"));
    questions.forEach(prompt -> index.findMatches(prompt, prompt.length, OverlapScores.create()));

    assertThat(index.hitRate()).isZero();
  }
}
