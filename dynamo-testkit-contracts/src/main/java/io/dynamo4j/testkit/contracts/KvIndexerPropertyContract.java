// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.contracts;

import java.util.List;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/**
 * What {@link KvIndexerContract} shows by example, over arbitrary event streams. Extend it and say
 * how your index is made; a failing stream is shrunk and printed.
 */
public abstract class KvIndexerPropertyContract {

  /** Makes the index under test. */
  protected abstract KvIndexerFactory factory();

  @Property(tries = 300)
  public void shouldKnowAfterEachEventWhatTheEventsSay(
      @ForAll("scripts") IndexScript script, @ForAll("prompts") List<long[]> prompts) {
    script.check(factory(), prompts);
  }

  @Property(tries = 100)
  public void shouldFollowEnginesWhoseHashesNameTheirPrefix(
      @ForAll("chainedScripts") IndexScript script, @ForAll("prompts") List<long[]> prompts) {
    script.check(factory(), prompts);
  }

  @Provide
  public Arbitrary<IndexScript> scripts() {
    return KvIndexerArbitraries.scripts();
  }

  @Provide
  public Arbitrary<IndexScript> chainedScripts() {
    return KvIndexerArbitraries.chainedScripts();
  }

  @Provide
  public Arbitrary<List<long[]>> prompts() {
    return KvIndexerArbitraries.prompts().list().ofMinSize(1).ofMaxSize(6);
  }
}
