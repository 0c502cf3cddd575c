// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.scenario;

import java.util.concurrent.Flow;

/** Stands in until a publisher has handed out its subscription. */
enum NoSubscription implements Flow.Subscription {
  INSTANCE;

  @Override
  public void request(long items) {
    throw new IllegalStateException("asked for items before onSubscribe");
  }

  @Override
  public void cancel() {
    throw new IllegalStateException("cancelled before onSubscribe");
  }
}
