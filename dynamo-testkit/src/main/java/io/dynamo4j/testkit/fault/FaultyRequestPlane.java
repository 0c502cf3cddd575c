// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.fault;

import io.dynamo4j.core.runtime.RandomSource;
import io.dynamo4j.plane.Attempt;
import io.dynamo4j.plane.RequestHandler;
import io.dynamo4j.plane.RequestPlane;
import io.dynamo4j.plane.ResponseStream;
import io.dynamo4j.plane.ServedEndpoint;
import io.dynamo4j.plane.WorkerInstance;
import java.util.Objects;

/**
 * A request plane whose streams are refused, break, end early or come late, as a plan says.
 *
 * <p>It keeps the contract of {@link RequestPlane}: what it does could have happened on any
 * network.
 *
 * @param <Q> request type
 * @param <R> response item type
 */
public final class FaultyRequestPlane<Q, R> implements RequestPlane<Q, R> {
  private final RequestPlane<Q, R> plane;
  private final StreamFaultPlan plan;
  private final RandomSource random;

  private FaultyRequestPlane(RequestPlane<Q, R> plane, StreamFaultPlan plan, RandomSource random) {
    this.plane = Objects.requireNonNull(plane, "plane");
    this.plan = Objects.requireNonNull(plan, "plan");
    this.random = Objects.requireNonNull(random, "random");
  }

  /**
   * Puts faults before a plane, which stays the caller's until this one is closed.
   *
   * @param random where jitter is drawn from
   */
  public static <Q, R> FaultyRequestPlane<Q, R> over(
      RequestPlane<Q, R> plane, StreamFaultPlan plan, RandomSource random) {
    return new FaultyRequestPlane<>(plane, plan, random);
  }

  @Override
  public ResponseStream<R> send(WorkerInstance target, Q request, Attempt attempt) {
    StreamFault fault = plan.faultOf(target, attempt);
    if (fault.isRefused()) {
      return new RefusedStream<>(target, attempt, fault);
    }
    FaultySignals<R> signals =
        new FaultySignals<>(
            target, attempt, fault, random.split(attempt.requestId() + "#" + attempt.number()));
    ResponseStream<R> stream = plane.send(target, request, signals.attempt());
    return subscriber -> stream.subscribe(signals.relayTo(subscriber));
  }

  @Override
  public ServedEndpoint serve(WorkerInstance instance, RequestHandler<Q, R> handler) {
    return plane.serve(instance, handler);
  }

  @Override
  public void close() {
    plane.close();
  }
}
