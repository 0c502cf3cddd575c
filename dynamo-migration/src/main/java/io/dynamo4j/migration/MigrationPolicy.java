// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.migration.event.MigrationPhase;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The table that says which types of error migrate, and how they are retried.
 *
 * <p>An error is judged with its causes: one that vetoes decides wherever it stands, else the
 * outermost that migrates, else the outermost of all. Causes that are not {@link DynamoException}s
 * are passed over. The table has a column for failures before the stream opened and one for those
 * after; they differ in one row, since a worker that refuses for reasons unknown has not begun.
 *
 * <p>What the client itself cancelled never reaches the table. A {@code CANCELLED} that does was
 * asked for by nobody here, and migrates.
 *
 * <p>What counts against a worker is another question, answered by {@code WorkerHealth} for the
 * error that decided.
 *
 * <p><b>Source.</b> Verdicts are those of Dynamo 1.6.1 except that a worker's own cancellation
 * migrates, that a bad request vetoes under any wrapper, and that a passed deadline vetoes.
 */
public final class MigrationPolicy {
  private static final int MAX_DEPTH = 32;

  private static final MigrationPolicy DEFAULTS = defaultTable().build();
  private static final MigrationPolicy UPSTREAM = upstreamTable();

  private final Map<ErrorType, Verdict> newRequest;
  private final Map<ErrorType, Verdict> ongoingRequest;
  private final Map<ErrorType, RetryRule> rules;

  private MigrationPolicy(Builder builder) {
    this.newRequest = Collections.unmodifiableMap(new EnumMap<>(builder.newRequest));
    this.ongoingRequest = Collections.unmodifiableMap(new EnumMap<>(builder.ongoingRequest));
    this.rules = Collections.unmodifiableMap(new EnumMap<>(builder.rules));
  }

  public static MigrationPolicy ofDefaults() {
    return DEFAULTS;
  }

  /**
   * The table as Dynamo 1.6.1 was measured to apply it: a worker's own cancellation vetoes, and
   * whatever a worker says before its stream is open counts as a failed connection (M6).
   */
  public static MigrationPolicy upstreamCompatible() {
    return UPSTREAM;
  }

  /** Starts from this table. */
  public Builder toBuilder() {
    Builder builder = new Builder();
    builder.rules.putAll(rules);
    builder.newRequest.putAll(newRequest);
    builder.ongoingRequest.putAll(ongoingRequest);
    return builder;
  }

  /** Returns the verdict of one type, causes aside. */
  public Verdict verdict(MigrationPhase phase, ErrorType type) {
    Map<ErrorType, Verdict> column =
        switch (phase) {
          case NEW_REQUEST -> newRequest;
          case ONGOING_REQUEST -> ongoingRequest;
        };
    return column.getOrDefault(type, Verdict.NEUTRAL);
  }

  /** Returns how failures of a type that migrates are retried. */
  public RetryRule rule(ErrorType type) {
    return rules.getOrDefault(type, RetryRule.ofDefaults());
  }

  /**
   * Returns the error of the chain that decides, {@code failure} itself included; null if there is
   * no {@link DynamoException} in it.
   */
  public @Nullable DynamoException decisive(MigrationPhase phase, Throwable failure) {
    DynamoException outermost = null;
    DynamoException migrating = null;
    Throwable link = failure;
    for (int depth = 0; link != null && depth < MAX_DEPTH; depth++, link = link.getCause()) {
      if (!(link instanceof DynamoException error)) {
        continue;
      }
      Verdict verdict = verdict(phase, error.errorType());
      if (verdict == Verdict.VETOES) {
        return error;
      }
      outermost = outermost == null ? error : outermost;
      migrating = migrating == null && verdict == Verdict.MIGRATES ? error : migrating;
    }
    return migrating != null ? migrating : outermost;
  }

  private static Builder defaultTable() {
    return new Builder()
        .set(ErrorType.CANNOT_CONNECT, Verdict.MIGRATES)
        .set(ErrorType.DISCONNECTED, Verdict.MIGRATES)
        .set(ErrorType.CONNECTION_TIMEOUT, Verdict.MIGRATES)
        .set(ErrorType.BACKEND_CANNOT_CONNECT, Verdict.MIGRATES)
        .set(ErrorType.BACKEND_DISCONNECTED, Verdict.MIGRATES)
        .set(ErrorType.BACKEND_CONNECTION_TIMEOUT, Verdict.MIGRATES)
        .set(ErrorType.RESPONSE_TIMEOUT, Verdict.MIGRATES)
        .set(ErrorType.ENGINE_SHUTDOWN, Verdict.MIGRATES)
        .set(ErrorType.STREAM_INCOMPLETE, Verdict.MIGRATES)
        .set(ErrorType.WORKER_UNAVAILABLE, Verdict.MIGRATES)
        .set(ErrorType.WORKER_OVERLOADED, Verdict.MIGRATES)
        .set(ErrorType.BACKEND_CANCELLED, Verdict.MIGRATES)
        .set(ErrorType.CANCELLED, Verdict.MIGRATES)
        .set(ErrorType.CAPACITY_EXHAUSTED, Verdict.VETOES)
        .set(ErrorType.POOL_EXHAUSTED, Verdict.VETOES)
        .set(ErrorType.INVALID_REQUEST, Verdict.VETOES)
        .set(ErrorType.DEADLINE_EXCEEDED, Verdict.VETOES)
        .set(ErrorType.BACKEND_INVALID_ARGUMENT, Verdict.VETOES)
        .set(MigrationPhase.NEW_REQUEST, ErrorType.BACKEND_UNKNOWN, Verdict.MIGRATES);
  }

  private static MigrationPolicy upstreamTable() {
    Builder table = defaultTable();
    table
        .set(ErrorType.INVALID_REQUEST, Verdict.NEUTRAL)
        .set(ErrorType.DEADLINE_EXCEEDED, Verdict.NEUTRAL)
        .set(ErrorType.BACKEND_INVALID_ARGUMENT, Verdict.NEUTRAL)
        .set(MigrationPhase.NEW_REQUEST, ErrorType.BACKEND_INVALID_ARGUMENT, Verdict.MIGRATES)
        .set(MigrationPhase.NEW_REQUEST, ErrorType.BACKEND_PROTOCOL, Verdict.MIGRATES)
        .set(MigrationPhase.NEW_REQUEST, ErrorType.INVALID_REQUEST, Verdict.MIGRATES)
        .set(ErrorType.BACKEND_CANCELLED, Verdict.VETOES)
        .set(ErrorType.CANCELLED, Verdict.VETOES);
    return table.build();
  }

  /** Changes single rows of a {@link MigrationPolicy}. */
  public static final class Builder {
    private final Map<ErrorType, RetryRule> rules = new EnumMap<>(ErrorType.class);
    private final Map<ErrorType, Verdict> newRequest = new EnumMap<>(ErrorType.class);
    private final Map<ErrorType, Verdict> ongoingRequest = new EnumMap<>(ErrorType.class);

    private Builder() {}

    /** Sets a type's verdict in both phases. */
    public Builder set(ErrorType type, Verdict verdict) {
      return set(MigrationPhase.NEW_REQUEST, type, verdict)
          .set(MigrationPhase.ONGOING_REQUEST, type, verdict);
    }

    /** Sets a type's verdict in one phase. */
    public Builder set(MigrationPhase phase, ErrorType type, Verdict verdict) {
      Objects.requireNonNull(type, "type");
      Objects.requireNonNull(verdict, "verdict");
      switch (phase) {
        case NEW_REQUEST -> newRequest.put(type, verdict);
        case ONGOING_REQUEST -> ongoingRequest.put(type, verdict);
      }
      return this;
    }

    /** Sets how failures of a type are retried; whether they are at all is the verdict's. */
    public Builder rule(ErrorType type, RetryRule rule) {
      rules.put(Objects.requireNonNull(type, "type"), Objects.requireNonNull(rule, "rule"));
      return this;
    }

    /** Sets how failures of every type are retried. */
    public Builder rule(RetryRule rule) {
      for (ErrorType type : ErrorType.values()) {
        rule(type, rule);
      }
      return this;
    }

    public MigrationPolicy build() {
      return new MigrationPolicy(this);
    }
  }
}
