// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.contracts;

import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/**
 * What {@link MigratorContract} shows by example, over arbitrary failure scripts. Extend it and say
 * how your migrator is made; a failing case is shrunk and printed.
 */
public abstract class MigratorPropertyContract {

  /** Makes the migrator under test. */
  protected abstract MigratorFactory factory();

  @Property(tries = 500)
  public void shouldShowTheClientWhatTheScriptCallsFor(@ForAll("cases") MigrationCase drawn) {
    drawn.check(factory());
  }

  @Provide
  public Arbitrary<MigrationCase> cases() {
    return MigrationArbitraries.cases();
  }
}
