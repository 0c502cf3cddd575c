// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.examples.propertytests;

import io.dynamo4j.kvrouter.ActiveBlockTracker;
import io.dynamo4j.testkit.contracts.ActiveBlockTrackerContract;

class PeakTrackerContractTest extends ActiveBlockTrackerContract {

  @Override
  protected ActiveBlockTracker create() {
    return new PeakTracker(ActiveBlockTracker.create(1));
  }
}
