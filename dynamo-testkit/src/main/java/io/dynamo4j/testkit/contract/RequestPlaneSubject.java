// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.contract;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.plane.RequestPlane;
import io.dynamo4j.plane.WorkerInstance;

/**
 * What an implementer of {@link RequestPlaneContract} supplies: lanes, a plane and samples of its
 * types. Each test makes its own.
 *
 * @param <Q> request type
 * @param <R> response item type
 */
public abstract class RequestPlaneSubject<Q, R> {
  /** Returns fresh lanes; closed by the test. */
  protected abstract LaneHarness newHarness();

  /** Returns a fresh plane; closed by the test. */
  protected abstract RequestPlane<Q, R> newPlane(Environment environment);

  /** Returns a worker that {@code plane} can serve; different ids, different addresses. */
  protected abstract WorkerInstance instance(RequestPlane<Q, R> plane, long workerId);

  /** Returns some request. */
  protected abstract Q request();

  /** Returns an item that {@link #number} recognizes. */
  protected abstract R item(int number);

  /** Returns the number that {@link #item} was given. */
  protected abstract int number(R item);

  /** Returns how long the plane may take to do something that it should not; default 5 ms. */
  protected long settleNanos() {
    return 5_000_000;
  }

  final RequestPlaneRun<Q, R> run() {
    return new RequestPlaneRun<>(
        newHarness(),
        this::newPlane,
        this::instance,
        request(),
        this::item,
        this::number,
        settleNanos());
  }

  static DynamoException error(ErrorType type) {
    return new DynamoException(type, "worker fails as planned: type=" + type);
  }
}
