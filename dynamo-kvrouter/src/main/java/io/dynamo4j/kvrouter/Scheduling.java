// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.SafeText;
import io.dynamo4j.plane.Attempt;

/** Makes of an attempt what a router is asked. */
final class Scheduling {
  private Scheduling() {}

  /**
   * Describes an attempt.
   *
   * @throws DynamoException of type {@code INVALID_REQUEST} if the request's own values are out of
   *     range
   */
  static <Q, R> SchedulingRequest of(RoutingAdapter<Q, R> adapter, Q request, Attempt attempt) {
    return SchedulingRequest.builder(attempt.requestId(), adapter.tokenIds(request))
        .attempt(attempt.number())
        .routing(adapter.routing(request))
        .excludedWorkers(attempt.excludedWorkers())
        .configOverride(configOverride(adapter, request, attempt))
        .deadlineNanos(attempt.deadlineNanos())
        .build();
  }

  private static <Q, R> RouterConfigOverride configOverride(
      RoutingAdapter<Q, R> adapter, Q request, Attempt attempt) {
    try {
      return adapter.configOverride(request);
    } catch (IllegalArgumentException outOfRange) {
      throw new DynamoException(
          ErrorType.INVALID_REQUEST,
          "override is invalid: request="
              + SafeText.of(attempt.requestId())
              + ", fault="
              + outOfRange.getMessage(),
          null,
          attempt.number(),
          outOfRange);
    }
  }
}
