// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.FinishReason;
import io.dynamo4j.core.model.StopConditions;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.plane.RequestDispatcher;
import io.dynamo4j.testkit.simulation.Simulation;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Flow;
import org.junit.jupiter.api.Test;

class PlainReplayAdapterTest {
  private final Simulation simulation = Simulation.builder().build();
  private final List<TokenRequest> asked = new ArrayList<>();
  private final List<TokenChunk> received = new ArrayList<>();
  private boolean completed;

  /** The first attempt brings 1 2 and breaks; later ones bring what this says. */
  private RequestDispatcher<TokenRequest, TokenChunk> dispatcher(TokenChunk rest) {
    return (request, attempt) ->
        subscriber ->
            attempt
                .lane()
                .execute(
                    () -> {
                      asked.add(request);
                      subscriber.onSubscribe(new Deaf());
                      if (attempt.number() == 0) {
                        subscriber.onNext(TokenChunk.of(TokenSlice.of(1, 2)));
                        subscriber.onError(new DynamoException(ErrorType.DISCONNECTED, "planted"));
                      } else {
                        subscriber.onNext(rest);
                        subscriber.onComplete();
                      }
                    });
  }

  private void run(long maxTokens, TokenChunk rest) {
    Migrator.builder()
        .limit(1)
        .adapter(ReplayAdapter.plain())
        .dispatcher(dispatcher(rest))
        .environment(simulation.environment("gateway"))
        .build()
        .migrate(
            TokenRequest.of("r1", TokenSlice.of(9))
                .withModel("m")
                .withStopConditions(StopConditions.builder().maxTokens(maxTokens).build()))
        .subscribe(new Client());
    simulation.run();
  }

  @Test
  void shouldContinuePlainRequest() {
    run(4, TokenChunk.last(TokenSlice.of(3, 4), FinishReason.EOS));

    assertThat(completed).isTrue();
    assertThat(received).hasSize(2);
    assertThat(received.get(1).finishReason()).isEqualTo(FinishReason.EOS);
    assertThat(asked.get(1).requestId()).isEqualTo("r1");
    assertThat(asked.get(1).model()).isEqualTo("m");
    assertThat(asked.get(1).tokens().toArray()).containsExactly(9, 1, 2);
    assertThat(asked.get(1).stopConditions().maxTokens()).isEqualTo(2);
  }

  @Test
  void shouldClipPlainAnswer() {
    run(3, TokenChunk.of(TokenSlice.of(3, 4, 5)));

    assertThat(received.get(1).tokens().toArray()).containsExactly(3);
    assertThat(received.get(1).finishReason()).isEqualTo(FinishReason.LENGTH);
  }

  @Test
  void shouldEndPlainAnswerLocallyWhenItIsWhole() {
    run(2, TokenChunk.of(TokenSlice.of(3)));

    assertThat(asked).hasSize(1);
    assertThat(received.get(1).tokens().isEmpty()).isTrue();
    assertThat(received.get(1).finishReason()).isEqualTo(FinishReason.LENGTH);
    assertThat(received.get(1)).hasToString("TokenChunk[tokens=0, finishReason=LENGTH]");
  }

  @Test
  void shouldTellNoTokensInText() {
    assertThat(TokenRequest.of("r1", TokenSlice.of(9, 8)))
        .hasToString("TokenRequest[requestId=r1, model=, tokens=2]");
  }

  private static final class Deaf implements Flow.Subscription {
    @Override
    public void request(long n) {}

    @Override
    public void cancel() {}
  }

  private final class Client implements Flow.Subscriber<TokenChunk> {
    @Override
    public void onSubscribe(Flow.Subscription subscription) {
      subscription.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(TokenChunk item) {
      received.add(item);
    }

    @Override
    public void onError(Throwable error) {
      throw new AssertionError(error);
    }

    @Override
    public void onComplete() {
      completed = true;
    }
  }
}
