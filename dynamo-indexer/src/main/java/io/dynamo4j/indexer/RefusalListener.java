// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer;

import io.dynamo4j.core.model.RouterEvent;

/** Hears of events that an index took in and then could not apply. */
@FunctionalInterface
public interface RefusalListener {

  /**
   * A store was refused as a whole.
   *
   * @param outcome why: {@link EventOutcome#PARENT_NOT_FOUND}, {@link EventOutcome#SELF_REFERENCE}
   *     or {@link EventOutcome#OUT_OF_CAPACITY}
   */
  void refused(RouterEvent event, EventOutcome outcome);
}
