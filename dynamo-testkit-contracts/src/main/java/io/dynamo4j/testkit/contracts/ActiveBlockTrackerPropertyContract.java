// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.contracts;

import io.dynamo4j.kvrouter.ActiveBlockTracker;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/**
 * What {@link ActiveBlockTrackerContract} shows by example, over arbitrary scripts. Extend it and
 * say how your tracker is made; a failing script is shrunk and printed.
 */
public abstract class ActiveBlockTrackerPropertyContract {

  /** Makes the tracker under test, without bookings. */
  protected abstract ActiveBlockTracker create();

  @Property(tries = 200)
  public void shouldEqualTheSumOfItsBookingsAfterEachStep(@ForAll("scripts") BookingScript script) {
    script.check(create());
  }

  @Provide
  public Arbitrary<BookingScript> scripts() {
    return TrackerArbitraries.scripts();
  }
}
