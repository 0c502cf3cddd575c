// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The table that says, for each type of error, whether it migrates and whether it counts against
 * the worker.
 *
 * <p>An error is judged with its causes: one that vetoes decides wherever it stands, else the
 * outermost that migrates, else the outermost of all. Causes that are not {@link DynamoException}s
 * are passed over.
 *
 * <p>What the client itself cancelled never reaches the table. A {@code CANCELLED} that does was
 * asked for by nobody here, and migrates.
 *
 * <p><b>Source.</b> Verdicts are those of Dynamo 1.6.1 except that a worker's own cancellation
 * migrates, that a bad request vetoes under any wrapper, and that the connect and disconnect errors
 * which workers report themselves count against them.
 */
public final class MigrationPolicy {
  private static final int MAX_DEPTH = 32;

  private static final MigrationPolicy DEFAULTS = defaultTable();

  private final Map<ErrorType, Verdict> verdicts;
  private final Set<ErrorType> blamed;

  private MigrationPolicy(Map<ErrorType, Verdict> verdicts, Set<ErrorType> blamed) {
    this.verdicts = Collections.unmodifiableMap(new EnumMap<>(verdicts));
    this.blamed = Collections.unmodifiableSet(EnumSet.copyOf(blamed));
  }

  public static MigrationPolicy ofDefaults() {
    return DEFAULTS;
  }

  /** Starts from this table. */
  public Builder toBuilder() {
    return new Builder(verdicts, blamed);
  }

  /** Returns the verdict of one type, causes aside. */
  public Verdict verdict(ErrorType type) {
    return verdicts.getOrDefault(type, Verdict.NEUTRAL);
  }

  /** Returns whether a failure of this type is a reason to avoid the worker for a while. */
  public boolean countsAgainstWorker(ErrorType type) {
    return blamed.contains(type);
  }

  /**
   * Returns the error of the chain that decides, {@code failure} itself included; null if there is
   * no {@link DynamoException} in it.
   */
  public @Nullable DynamoException decisive(Throwable failure) {
    DynamoException outermost = null;
    DynamoException migrating = null;
    Throwable link = failure;
    for (int depth = 0; link != null && depth < MAX_DEPTH; depth++, link = link.getCause()) {
      if (!(link instanceof DynamoException error)) {
        continue;
      }
      Verdict verdict = verdict(error.errorType());
      if (verdict == Verdict.VETOES) {
        return error;
      }
      outermost = outermost == null ? error : outermost;
      migrating = migrating == null && verdict == Verdict.MIGRATES ? error : migrating;
    }
    return migrating != null ? migrating : outermost;
  }

  private static MigrationPolicy defaultTable() {
    Builder table = new Builder(new EnumMap<>(ErrorType.class), EnumSet.noneOf(ErrorType.class));
    for (ErrorType type :
        EnumSet.of(
            ErrorType.CANNOT_CONNECT,
            ErrorType.DISCONNECTED,
            ErrorType.CONNECTION_TIMEOUT,
            ErrorType.BACKEND_CANNOT_CONNECT,
            ErrorType.BACKEND_DISCONNECTED,
            ErrorType.BACKEND_CONNECTION_TIMEOUT,
            ErrorType.RESPONSE_TIMEOUT,
            ErrorType.ENGINE_SHUTDOWN,
            ErrorType.STREAM_INCOMPLETE,
            ErrorType.WORKER_UNAVAILABLE,
            ErrorType.BACKEND_CANCELLED)) {
      table.set(type, Verdict.MIGRATES).countsAgainstWorker(type, true);
    }
    return table
        .set(ErrorType.WORKER_OVERLOADED, Verdict.MIGRATES)
        .set(ErrorType.CANCELLED, Verdict.MIGRATES)
        .set(ErrorType.CAPACITY_EXHAUSTED, Verdict.VETOES)
        .set(ErrorType.POOL_EXHAUSTED, Verdict.VETOES)
        .set(ErrorType.INVALID_REQUEST, Verdict.VETOES)
        .set(ErrorType.DEADLINE_EXCEEDED, Verdict.VETOES)
        .set(ErrorType.BACKEND_INVALID_ARGUMENT, Verdict.VETOES)
        .build();
  }

  /** Changes single rows of a {@link MigrationPolicy}. */
  public static final class Builder {
    private final Map<ErrorType, Verdict> verdicts = new EnumMap<>(ErrorType.class);
    private final Set<ErrorType> blamed = EnumSet.noneOf(ErrorType.class);

    private Builder(Map<ErrorType, Verdict> verdicts, Set<ErrorType> blamed) {
      this.verdicts.putAll(verdicts);
      this.blamed.addAll(blamed);
    }

    public Builder set(ErrorType type, Verdict verdict) {
      verdicts.put(
          Objects.requireNonNull(type, "type"), Objects.requireNonNull(verdict, "verdict"));
      return this;
    }

    /** Says whether a failure of this type is reported to the worker's health. */
    public Builder countsAgainstWorker(ErrorType type, boolean counts) {
      if (counts) {
        blamed.add(type);
      } else {
        blamed.remove(type);
      }
      return this;
    }

    public MigrationPolicy build() {
      return new MigrationPolicy(verdicts, blamed);
    }
  }
}
