// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.fault;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.plane.Attempt;
import io.dynamo4j.plane.WorkerInstance;

/** Errors in the form that request planes give theirs. */
final class InjectedError {
  private InjectedError() {}

  static DynamoException of(ErrorType type, String what, WorkerInstance target, Attempt attempt) {
    return new DynamoException(
        type,
        what + " (injected): target=" + target + ", attempt=" + attempt,
        target.rank(0),
        attempt.number(),
        null);
  }
}
