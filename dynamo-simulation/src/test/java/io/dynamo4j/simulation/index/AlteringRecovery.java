// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.index;

import io.dynamo4j.plane.Attempt;
import io.dynamo4j.plane.RequestHandler;
import io.dynamo4j.plane.RequestPlane;
import io.dynamo4j.plane.ResponseStream;
import io.dynamo4j.plane.ServedEndpoint;
import io.dynamo4j.plane.WorkerInstance;
import io.dynamo4j.wire.ProofQuery;
import io.dynamo4j.wire.RecoveryResponse;
import io.dynamo4j.wire.RecoveryResponseCodec;
import java.util.concurrent.Flow;
import java.util.function.BiFunction;

/** A recovery plane on which answers are changed as they come. */
final class AlteringRecovery implements RequestPlane<byte[], byte[]> {
  private final RequestPlane<byte[], byte[]> plane;
  private final BiFunction<WorkerInstance, RecoveryResponse, RecoveryResponse> change;

  AlteringRecovery(
      RequestPlane<byte[], byte[]> plane,
      BiFunction<WorkerInstance, RecoveryResponse, RecoveryResponse> change) {
    this.plane = plane;
    this.change = change;
  }

  @Override
  public ResponseStream<byte[]> send(WorkerInstance target, byte[] request, Attempt attempt) {
    ResponseStream<byte[]> stream = plane.send(target, request, attempt);
    return ProofQuery.tryDecode(request) == null
        ? subscriber -> stream.subscribe(new Relay(target, subscriber))
        : stream;
  }

  @Override
  public ServedEndpoint serve(WorkerInstance instance, RequestHandler<byte[], byte[]> handler) {
    return plane.serve(instance, handler);
  }

  @Override
  public void close() {
    plane.close();
  }

  private final class Relay implements Flow.Subscriber<byte[]> {
    private final WorkerInstance target;
    private final Flow.Subscriber<? super byte[]> subscriber;

    Relay(WorkerInstance target, Flow.Subscriber<? super byte[]> subscriber) {
      this.target = target;
      this.subscriber = subscriber;
    }

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
      subscriber.onSubscribe(subscription);
    }

    @Override
    public void onNext(byte[] item) {
      RecoveryResponse changed = change.apply(target, RecoveryResponseCodec.decode(item));
      subscriber.onNext(RecoveryResponseCodec.encode(changed));
    }

    @Override
    public void onError(Throwable error) {
      subscriber.onError(error);
    }

    @Override
    public void onComplete() {
      subscriber.onComplete();
    }
  }
}
