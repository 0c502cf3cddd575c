// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.contract;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.opentest4j.TestAbortedException;
import org.reactivestreams.tck.TestEnvironment;
import org.reactivestreams.tck.flow.FlowPublisherVerification;

/** A rule that is looked at once too early is looked at again; one that is broken stays so. */
class FlowTckTest {
  private static final String RULE =
      "required_spec309_requestZeroMustSignalIllegalArgumentException";
  private static final String OPTIONAL_RULE =
      "optional_spec309_requestNegativeNumberMaySignalIllegalArgumentExceptionWithSpecificMessage";

  private static DynamicTest rule(String name, int deafSubscriptions) {
    AtomicInteger subscriptions = new AtomicInteger();
    return FlowTck.tests(() -> new Verification(subscriptions, deafSubscriptions)).stream()
        .filter(test -> test.getDisplayName().equals(name))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void shouldLookAgainWhenSignalIsLate() throws Throwable {
    rule(RULE, 3).getExecutable().execute();
    rule(OPTIONAL_RULE, 3).getExecutable().execute();
  }

  @Test
  void shouldFailWhenSignalNeverComes() {
    DynamicTest rule = rule(RULE, Integer.MAX_VALUE);
    assertThatThrownBy(() -> rule.getExecutable().execute())
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("IllegalArgumentException");
  }

  @Test
  void shouldSkipOptionalRuleWhenSignalNeverComes() {
    DynamicTest rule = rule(OPTIONAL_RULE, Integer.MAX_VALUE);
    assertThatThrownBy(() -> rule.getExecutable().execute())
        .isInstanceOf(TestAbortedException.class)
        .hasMessageContaining("IllegalArgumentException");
  }

  /** Publishers, of which the first do not hear their subscribers. */
  public static final class Verification extends FlowPublisherVerification<Integer> {
    private final AtomicInteger subscriptions;
    private final int deaf;

    Verification(AtomicInteger subscriptions, int deaf) {
      super(new TestEnvironment(20_000, 50, 10));
      this.subscriptions = subscriptions;
      this.deaf = deaf;
    }

    @Override
    public Flow.Publisher<Integer> createFlowPublisher(long elements) {
      boolean isDeaf = subscriptions.getAndIncrement() < deaf;
      return subscriber -> subscriber.onSubscribe(new Refusing(subscriber, isDeaf));
    }

    @Override
    public Flow.Publisher<Integer> createFailedFlowPublisher() {
      throw new UnsupportedOperationException("not asked for");
    }
  }

  /** Answers any request with an error, unless it is deaf. */
  private record Refusing(Flow.Subscriber<? super Integer> subscriber, boolean isDeaf)
      implements Flow.Subscription {
    @Override
    public void request(long n) {
      if (!isDeaf) {
        subscriber.onError(new IllegalArgumentException("rule 3.9: n=" + n));
      }
    }

    @Override
    public void cancel() {}
  }
}
