// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.fault;

import io.dynamo4j.core.runtime.RandomSource;
import io.dynamo4j.plane.EventEnvelope;
import java.util.Objects;

/**
 * Draws each envelope's fault from the seed, its publisher and its sequence. All off by default.
 */
public final class RandomEventFaults implements EventFaultPlan {
  private final RandomSource random;
  private final double loss;
  private final double duplication;
  private final double delay;
  private final double reorder;
  private final double lossBeforeIdle;
  private final long maxDelayNanos;

  private RandomEventFaults(Builder builder) {
    this.random = builder.random;
    this.loss = builder.loss;
    this.duplication = builder.duplication;
    this.delay = builder.delay;
    this.reorder = builder.reorder;
    this.lossBeforeIdle = builder.lossBeforeIdle;
    this.maxDelayNanos = builder.maxDelayNanos;
  }

  public static Builder builder(RandomSource random) {
    return new Builder(random);
  }

  @Override
  public EventFault faultOf(EventEnvelope envelope) {
    RandomSource own = childOf(envelope, "");
    double chance = own.nextDouble();
    if (chance < loss) {
      return EventFault.lost();
    }
    if (chance < loss + duplication) {
      return EventFault.duplicated();
    }
    long nanos = (long) (own.nextDouble() * maxDelayNanos);
    if (chance < loss + duplication + delay) {
      return EventFault.delayed(nanos);
    }
    return chance < loss + duplication + delay + reorder
        ? EventFault.overtaken(nanos)
        : EventFault.none();
  }

  @Override
  public boolean isLostBeforeIdle(EventEnvelope envelope) {
    return lossBeforeIdle > 0 && childOf(envelope, "idle").nextDouble() < lossBeforeIdle;
  }

  private RandomSource childOf(EventEnvelope envelope, String purpose) {
    return random.split(
        envelope.topic()
            + "/"
            + Long.toUnsignedString(envelope.publisherId())
            + "#"
            + Long.toUnsignedString(envelope.sequence())
            + purpose);
  }

  /** Builds {@link RandomEventFaults}. */
  public static final class Builder {
    private final RandomSource random;
    private double loss;
    private double duplication;
    private double delay;
    private double reorder;
    private double lossBeforeIdle;
    private long maxDelayNanos = 50_000_000;

    private Builder(RandomSource random) {
      this.random = Objects.requireNonNull(random, "random");
    }

    /** Sets how likely an envelope is lost. */
    public Builder loss(double probability) {
      this.loss = Probability.check(probability, "loss");
      return this;
    }

    /** Sets how likely an envelope arrives twice. */
    public Builder duplication(double probability) {
      this.duplication = Probability.check(probability, "duplication");
      return this;
    }

    /** Sets how likely an envelope is late, and those after it with it. */
    public Builder delay(double probability) {
      this.delay = Probability.check(probability, "delay");
      return this;
    }

    /** Sets how likely an envelope is late and overtaken. */
    public Builder reorder(double probability) {
      this.reorder = Probability.check(probability, "reorder");
      return this;
    }

    /** Sets how likely the last envelope before its publisher falls silent is lost. */
    public Builder lossBeforeIdle(double probability) {
      this.lossBeforeIdle = Probability.check(probability, "lossBeforeIdle");
      return this;
    }

    /** Bounds how late an envelope is. */
    public Builder maxDelayNanos(long nanos) {
      if (nanos < 1) {
        throw new IllegalArgumentException("maxDelayNanos must be positive: nanos=" + nanos);
      }
      this.maxDelayNanos = nanos;
      return this;
    }

    /**
     * Builds the plan.
     *
     * @throws IllegalArgumentException if the probabilities sum to more than 1
     */
    public RandomEventFaults build() {
      Probability.check(loss + duplication + delay + reorder, "loss+duplication+delay+reorder");
      return new RandomEventFaults(this);
    }
  }
}
