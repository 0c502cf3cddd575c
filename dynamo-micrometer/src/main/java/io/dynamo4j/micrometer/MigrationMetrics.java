// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.micrometer;

import io.dynamo4j.migration.Migrator;
import io.dynamo4j.migration.MigratorStats;
import io.dynamo4j.migration.event.MigrationEvent;
import io.dynamo4j.migration.event.MigrationListener;
import io.dynamo4j.migration.event.MigrationPhase;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * One migrator's counts as meters, with the names, labels and buckets of Dynamo's frontend.
 *
 * <pre>{@code
 * MigrationMetrics metrics = MigrationMetrics.of(registry);
 * Migrator<Q, R> migrator = Migrator.builder().limit(3)….listener(metrics).build();
 * metrics.observe(migrator);
 * }</pre>
 *
 * <p>A series appears with its first count. Model names come from requests: {@value #MAX_MODELS} of
 * them get series of their own, the rest count as {@code other}. A migrator of several in one
 * registry needs {@link Builder#tag tags} that tell it apart.
 *
 * <p>The registry is the host's and is not closed here.
 *
 * <p><b>Threads.</b> Thread-safe. Cost: nothing per token, a few map lookups per event.
 */
public final class MigrationMetrics implements MigrationListener {
  /** How many models get series of their own. */
  public static final int MAX_MODELS = 64;

  /** Upper bounds of Dynamo's buckets, in milliseconds. */
  private static final long[] DURATION_BUCKETS_MILLIS = {
    10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 20_000, 40_000, 60_000
  };

  /** A gap may be far shorter than what Dynamo measures. */
  private static final long[] GAP_BUCKETS_MILLIS = {
    1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 20_000, 40_000, 60_000
  };

  private static final String MODEL = "model";
  private static final String MIGRATION_TYPE = "migration_type";
  private static final String OUTCOME = "outcome";

  /** Names that Dynamo does not have stand under the project's own. */
  private static final String OWN_PREFIX = "dynamo4j.migration.";

  private final MeterRegistry registry;
  private final String prefix;
  private final Tags tags;
  private final BoundedLabels models = new BoundedLabels(MAX_MODELS);
  private final Set<String> limitsShown = new ConcurrentSkipListSet<>();
  private final AtomicReference<@Nullable Migrator<?, ?>> observed = new AtomicReference<>();

  private MigrationMetrics(Builder builder) {
    this.registry = builder.registry;
    this.prefix = builder.prefix + ".model.migration";
    this.tags = builder.tags;
  }

  /** Returns meters in a registry, under Dynamo's own prefix and without further tags. */
  public static MigrationMetrics of(MeterRegistry registry) {
    return builder(registry).build();
  }

  public static Builder builder(MeterRegistry registry) {
    return new Builder(registry);
  }

  /**
   * Reads from a migrator what no event tells: its limit, not those of requests that bring their
   * own, and the frames it fenced off. The limit shows for a model from its next request on.
   *
   * @throws IllegalStateException if a migrator is observed already
   */
  public void observe(Migrator<?, ?> migrator) {
    Objects.requireNonNull(migrator, "migrator");
    if (!observed.compareAndSet(null, migrator)) {
      throw new IllegalStateException("metrics observe one migrator");
    }
    count(
        "fenced.frames",
        "Signals dropped: of attempts that had been given up, or after an answer's end",
        MigratorStats::droppedSignals,
        migrator);
  }

  private void count(
      String name, String description, ToDoubleFunction<MigratorStats> value, Migrator<?, ?> from) {
    FunctionCounter.builder(OWN_PREFIX + name, from, m -> value.applyAsDouble(m.stats()))
        .description(description)
        .tags(tags)
        .register(registry);
  }

  @Override
  public void onEvent(MigrationEvent event) {
    Tag model = Tag.of(MODEL, models.labelOf(event.model()));
    showLimit(model);
    if (!countLikeDynamo(event, model)) {
      countOurs(event, model);
    }
  }

  /** Counts what Dynamo counts too; false for anything else. */
  private boolean countLikeDynamo(MigrationEvent event, Tag model) {
    if (event instanceof MigrationEvent.StreamLost lost) {
      counter(prefix, "Failed attempts that migrate, repaired or not", phase(lost.phase(), model));
    } else if (event instanceof MigrationEvent.RecoveryEnded ended) {
      timer(
              prefix + ".duration",
              "From noticing a failure to recovery, final failure or cancellation",
              DURATION_BUCKETS_MILLIS,
              phase(ended.phase(), model).and(OUTCOME, ended.outcome().label()))
          .record(ended.durationNanos(), TimeUnit.NANOSECONDS);
    } else if (event instanceof MigrationEvent.MaxSeqLenExceeded) {
      counter(
          prefix + ".max.seq.len.exceeded",
          "Requests whose sequence outgrew what is kept for a continuation",
          Tags.of(model));
    } else {
      return false;
    }
    return true;
  }

  private void countOurs(MigrationEvent event, Tag model) {
    if (event instanceof MigrationEvent.Migrated migrated) {
      timer(
              OWN_PREFIX + "gap",
              "From noticing a failure to the next token",
              GAP_BUCKETS_MILLIS,
              phase(migrated.phase(), model))
          .record(migrated.gapNanos(), TimeUnit.NANOSECONDS);
    } else if (event instanceof MigrationEvent.Drained drained) {
      timer(
              OWN_PREFIX + "drain",
              "From a draining worker's last token to its successor's open stream",
              GAP_BUCKETS_MILLIS,
              Tags.of(model))
          .record(drained.durationNanos(), TimeUnit.NANOSECONDS);
    } else if (event instanceof MigrationEvent.Exhausted) {
      counter(OWN_PREFIX + "exhausted", "Requests that ran out of attempts", Tags.of(model));
    } else if (event instanceof MigrationEvent.Stalled stalled) {
      counter(
          OWN_PREFIX + "stalls",
          "Attempts given up by a timeout",
          Tags.of(model, Tag.of("waited_for", stalled.waitedFor().label())));
    } else if (event instanceof MigrationEvent.HedgeDecided hedge) {
      counter(
          OWN_PREFIX + "hedges",
          "Races for a first token, by whether the second attempt won",
          Tags.of(model, Tag.of(OUTCOME, hedge.winner() > hedge.loser() ? "won" : "lost")));
    } else if (event instanceof MigrationEvent.Delayed delayed) {
      counter(
          OWN_PREFIX + "delays",
          "Attempts that were not made at once",
          Tags.of(model, Tag.of("reason", delayed.forReplacement() ? "no_worker" : "back_off")));
    }
  }

  private void showLimit(Tag model) {
    Migrator<?, ?> migrator = observed.get();
    if (migrator != null && limitsShown.add(model.getValue())) {
      Gauge.builder(prefix + ".limit", migrator, m -> m.options().limit())
          .description("Attempts that may follow a request's first")
          .tags(tags.and(model))
          .register(registry);
    }
  }

  private void counter(String name, String description, Tags labels) {
    Counter.builder(name)
        .description(description)
        .tags(tags.and(labels))
        .register(registry)
        .increment();
  }

  private Timer timer(String name, String description, long[] bucketsMillis, Tags labels) {
    Duration[] buckets = new Duration[bucketsMillis.length];
    for (int i = 0; i < buckets.length; i++) {
      buckets[i] = Duration.ofMillis(bucketsMillis[i]);
    }
    return Timer.builder(name)
        .description(description)
        .serviceLevelObjectives(buckets)
        .tags(tags.and(labels))
        .register(registry);
  }

  private static Tags phase(MigrationPhase phase, Tag model) {
    return Tags.of(model, Tag.of(MIGRATION_TYPE, phase.label()));
  }

  /** Builds {@link MigrationMetrics}. */
  public static final class Builder {
    private final MeterRegistry registry;
    private String prefix = "dynamo.frontend";
    private Tags tags = Tags.empty();

    private Builder(MeterRegistry registry) {
      this.registry = Objects.requireNonNull(registry, "registry");
    }

    /**
     * Replaces the beginning of Dynamo's names, as its {@code --metrics-prefix} does; the library's
     * own names keep theirs. Default {@code dynamo.frontend}, {@code dynamo_frontend} in
     * Prometheus.
     *
     * @throws IllegalArgumentException if empty
     */
    public Builder prefix(String prefix) {
      if (prefix.isBlank()) {
        throw new IllegalArgumentException("prefix must not be empty: prefix=" + prefix);
      }
      this.prefix = prefix;
      return this;
    }

    /** Adds a tag to every meter. */
    public Builder tag(String key, String value) {
      this.tags = tags.and(key, value);
      return this;
    }

    public MigrationMetrics build() {
      return new MigrationMetrics(this);
    }
  }
}
