// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.fault;

import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.runtime.RandomSource;
import io.dynamo4j.plane.Attempt;
import io.dynamo4j.plane.WorkerInstance;
import java.util.Objects;

/**
 * Draws each attempt's fault from the seed, the request id and the attempt's number. All off by
 * default.
 */
public final class RandomStreamFaults implements StreamFaultPlan {
  private final RandomSource random;
  private final double refusal;
  private final double failure;
  private final double cleanEnd;
  private final double frameLoss;
  private final int maxItems;
  private final long latencyNanos;
  private final long jitterNanos;

  private RandomStreamFaults(Builder builder) {
    this.random = builder.random;
    this.refusal = builder.refusal;
    this.failure = builder.failure;
    this.cleanEnd = builder.cleanEnd;
    this.frameLoss = builder.frameLoss;
    this.maxItems = builder.maxItems;
    this.latencyNanos = builder.latencyNanos;
    this.jitterNanos = builder.jitterNanos;
  }

  public static Builder builder(RandomSource random) {
    return new Builder(random);
  }

  @Override
  public StreamFault faultOf(WorkerInstance target, Attempt attempt) {
    RandomSource own = random.split(attempt.requestId() + "#" + attempt.number());
    double chance = own.nextDouble();
    // The first items and the end are where mistakes are, so they are drawn more often.
    int shape = own.nextInt(4);
    int items = shape == 0 ? 0 : shape == 1 ? 1 : own.nextInt(maxItems);
    StreamFault fault = StreamFault.none();
    if (chance < refusal) {
      fault = StreamFault.refused(ErrorType.CANNOT_CONNECT);
    } else if (chance < refusal + failure) {
      fault =
          shape == 2
              ? StreamFault.failedAtEnd(ErrorType.DISCONNECTED)
              : StreamFault.failedAfter(items, ErrorType.DISCONNECTED);
    } else if (chance < refusal + failure + cleanEnd) {
      fault = StreamFault.endedAfter(items);
    }
    fault = fault.withLatency(latencyNanos, jitterNanos);
    return own.nextDouble() < frameLoss ? fault.losingFramesInFlight() : fault;
  }

  /** Builds {@link RandomStreamFaults}. */
  public static final class Builder {
    private final RandomSource random;
    private double refusal;
    private double failure;
    private double cleanEnd;
    private double frameLoss;
    private int maxItems = 100;
    private long latencyNanos;
    private long jitterNanos;

    private Builder(RandomSource random) {
      this.random = Objects.requireNonNull(random, "random");
    }

    /** Sets how likely a dispatch is refused. */
    public Builder refusal(double probability) {
      this.refusal = Probability.check(probability, "refusal");
      return this;
    }

    /** Sets how likely a stream that opened breaks. */
    public Builder failure(double probability) {
      this.failure = Probability.check(probability, "failure");
      return this;
    }

    /** Sets how likely a stream completes before its end. */
    public Builder cleanEnd(double probability) {
      this.cleanEnd = Probability.check(probability, "cleanEnd");
      return this;
    }

    /** Sets how likely an error destroys the frames in flight. */
    public Builder frameLoss(double probability) {
      this.frameLoss = Probability.check(probability, "frameLoss");
      return this;
    }

    /** Sets before which item streams end, at the latest. */
    public Builder maxItems(int items) {
      if (items < 1) {
        throw new IllegalArgumentException("maxItems must be positive: items=" + items);
      }
      this.maxItems = items;
      return this;
    }

    /** Sets the delay of every signal. */
    public Builder latency(long latencyNanos, long jitterNanos) {
      this.latencyNanos = latencyNanos;
      this.jitterNanos = jitterNanos;
      return this;
    }

    /**
     * Builds the plan.
     *
     * @throws IllegalArgumentException if the ends' probabilities sum to more than 1
     */
    public RandomStreamFaults build() {
      Probability.check(refusal + failure + cleanEnd, "refusal+failure+cleanEnd");
      StreamFault.none().withLatency(latencyNanos, jitterNanos);
      return new RandomStreamFaults(this);
    }
  }
}
