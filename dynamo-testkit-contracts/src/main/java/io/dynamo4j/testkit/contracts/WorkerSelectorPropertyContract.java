// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.contracts;

import io.dynamo4j.kvrouter.WorkerSelector;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/**
 * What {@link WorkerSelectorContract} shows by example, over arbitrary questions. Extend it and say
 * how your policy is made; a failing question is shrunk and printed.
 */
public abstract class WorkerSelectorPropertyContract {

  /** Makes the policy under test. */
  protected abstract WorkerSelector create();

  @Property(tries = 300)
  public void shouldChooseACandidateAndTheSameOneAgain(@ForAll("cases") SelectionCase question) {
    question.check(create());
  }

  @Provide
  public Arbitrary<SelectionCase> cases() {
    return SelectorArbitraries.cases();
  }
}
