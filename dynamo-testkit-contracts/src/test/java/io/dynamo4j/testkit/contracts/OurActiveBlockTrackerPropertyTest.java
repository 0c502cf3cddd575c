// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.contracts;

import io.dynamo4j.kvrouter.ActiveBlockTracker;

class OurActiveBlockTrackerPropertyTest extends ActiveBlockTrackerPropertyContract {

  @Override
  protected ActiveBlockTracker create() {
    return ActiveBlockTracker.create(1);
  }
}
