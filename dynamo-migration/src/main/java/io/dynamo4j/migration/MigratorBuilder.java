// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import java.time.Duration;
import java.util.Objects;

/**
 * First stage of building a {@link Migrator}: settings that no type depends on. {@link #adapter}
 * fixes the types and leads to the second.
 */
public final class MigratorBuilder {
  private MigrationOptions.Builder options = MigrationOptions.builder();
  private MigrationPolicy policy = MigrationPolicy.ofDefaults();

  MigratorBuilder() {}

  /**
   * Sets {@link MigrationOptions.Builder#limit}.
   *
   * @throws IllegalArgumentException outside 0 … 2^32−1
   */
  public MigratorBuilder limit(long limit) {
    options.limit(limit);
    return this;
  }

  /**
   * Sets {@link MigrationOptions.Builder#maxSeqLen}.
   *
   * @throws IllegalArgumentException outside 1 … 2^32−1
   */
  public MigratorBuilder maxSeqLen(long tokens) {
    options.maxSeqLen(tokens);
    return this;
  }

  /** Sets {@link MigrationOptions.Builder#stallTimeout}. */
  public MigratorBuilder stallTimeout(Duration timeout) {
    options.stallTimeout(timeout);
    return this;
  }

  /** Sets {@link MigrationOptions.Builder#endTimeout}. */
  public MigratorBuilder endTimeout(Duration timeout) {
    options.endTimeout(timeout);
    return this;
  }

  /** Sets all options at once; what was set before is forgotten. */
  public MigratorBuilder options(MigrationOptions all) {
    this.options = all.toBuilder();
    return this;
  }

  /**
   * Starts from what Dynamo 1.6.1 was measured to do: {@link MigrationOptions#upstreamCompatible}
   * and {@link MigrationPolicy#upstreamCompatible}. What was set before is forgotten.
   */
  public MigratorBuilder upstreamCompatible() {
    return options(MigrationOptions.upstreamCompatible())
        .policy(MigrationPolicy.upstreamCompatible());
  }

  /** Replaces the table that judges errors. */
  public MigratorBuilder policy(MigrationPolicy policy) {
    this.policy = Objects.requireNonNull(policy, "policy");
    return this;
  }

  /** Fixes the types of requests and response items. */
  public <Q, R> TypedMigratorBuilder<Q, R> adapter(ReplayAdapter<Q, R> adapter) {
    return new TypedMigratorBuilder<>(options.build(), policy, adapter);
  }
}
