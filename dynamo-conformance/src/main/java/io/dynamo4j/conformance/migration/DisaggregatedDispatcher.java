// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.migration;

import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.plane.Attempt;
import io.dynamo4j.plane.AttemptListener;
import io.dynamo4j.plane.RequestDispatcher;
import io.dynamo4j.plane.ResponseStream;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/**
 * One attempt in two legs, prefill and then decoding. The attempt's stream opens with the second,
 * so that a prefill which fails at any point is a failure before the stream.
 */
final class DisaggregatedDispatcher
    implements RequestDispatcher<PreprocessedRequest, LLMEngineOutput> {
  private final RequestDispatcher<PreprocessedRequest, LLMEngineOutput> prefill;
  private final RequestDispatcher<PreprocessedRequest, LLMEngineOutput> decode;

  DisaggregatedDispatcher(
      RequestDispatcher<PreprocessedRequest, LLMEngineOutput> prefill,
      RequestDispatcher<PreprocessedRequest, LLMEngineOutput> decode) {
    this.prefill = prefill;
    this.decode = decode;
  }

  @Override
  public ResponseStream<LLMEngineOutput> dispatch(PreprocessedRequest request, Attempt attempt) {
    return subscriber -> new Run(request, attempt, subscriber).start();
  }

  /** One attempt. */
  private final class Run implements Flow.Subscriber<LLMEngineOutput>, Flow.Subscription {
    private final PreprocessedRequest request;
    private final Attempt attempt;
    private final Flow.Subscriber<? super LLMEngineOutput> client;
    private Flow.@Nullable Subscription upstream;
    private @Nullable WorkerWithDpRank prefillWorker;
    private long earlyDemand;
    private boolean decoding;
    private boolean cancelled;

    Run(
        PreprocessedRequest request,
        Attempt attempt,
        Flow.Subscriber<? super LLMEngineOutput> client) {
      this.request = request;
      this.attempt = attempt;
      this.client = client;
    }

    void start() {
      attempt
          .lane()
          .execute(
              () -> {
                client.onSubscribe(this);
                prefill.dispatch(toPrefill(), attempt(false)).subscribe(this);
              });
    }

    private PreprocessedRequest toPrefill() {
      return request.toBuilder()
          .stopConditions(request.stopConditions().toBuilder().maxTokens(1).build())
          .build();
    }

    private PreprocessedRequest toDecode() {
      Map<String, Object> extensions = new LinkedHashMap<>(request.extensions());
      Map<String, Object> result = new LinkedHashMap<>();
      result.put("disaggregated_params", true);
      extensions.put("prefill_result", result);
      return request.toBuilder().extensions(extensions).build();
    }

    private Attempt attempt(boolean opens) {
      return Attempt.builder(attempt.requestId(), attempt.lane())
          .number(attempt.number())
          .excludedWorkers(attempt.excludedWorkers())
          .deadlineNanos(attempt.deadlineNanos())
          .listener(
              new AttemptListener() {
                @Override
                public void workerChosen(WorkerWithDpRank worker) {
                  prefillWorker = opens ? prefillWorker : worker;
                  attempt.workerChosen(worker);
                }

                @Override
                public void streamOpened() {
                  if (opens) {
                    attempt.streamOpened();
                  }
                }
              })
          .build();
    }

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
      upstream = subscription;
      if (cancelled) {
        subscription.cancel();
      } else if (!decoding) {
        subscription.request(Long.MAX_VALUE);
      } else if (earlyDemand > 0) {
        subscription.request(earlyDemand);
      }
    }

    @Override
    public void onNext(LLMEngineOutput item) {
      if (decoding) {
        client.onNext(item);
      }
    }

    @Override
    public void onError(Throwable failure) {
      client.onError(failure);
    }

    @Override
    public void onComplete() {
      if (decoding) {
        client.onComplete();
      } else if (!cancelled) {
        decoding = true;
        decode.dispatch(toDecode(), attempt(true)).subscribe(this);
      }
    }

    @Override
    public void request(long n) {
      earlyDemand = Math.max(earlyDemand, earlyDemand + n);
      if (decoding && upstream != null) {
        upstream.request(n);
      }
    }

    @Override
    public void cancel() {
      cancelled = true;
      if (upstream != null) {
        upstream.cancel();
      }
    }
  }
}
