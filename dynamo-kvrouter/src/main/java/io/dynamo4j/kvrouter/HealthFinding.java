// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.model.WorkerWithDpRank;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * One thing that {@link KvRouter#health} found, with the figures that show it.
 *
 * <p><b>Threads.</b> Immutable.
 */
public final class HealthFinding {
  private final HealthKind kind;
  private final String subject;
  private final @Nullable WorkerWithDpRank worker;
  private final Instant since;
  private final Map<String, Long> evidence;

  HealthFinding(
      HealthKind kind,
      String subject,
      @Nullable WorkerWithDpRank worker,
      Instant since,
      Map<String, Long> evidence) {
    this.kind = Objects.requireNonNull(kind, "kind");
    this.subject = Objects.requireNonNull(subject, "subject");
    this.worker = worker;
    this.since = Objects.requireNonNull(since, "since");
    this.evidence = evidence;
  }

  public HealthKind kind() {
    return kind;
  }

  /** Returns whom it concerns, such as {@code worker=7} or {@code publisher=12}. */
  public String subject() {
    return subject;
  }

  /**
   * Returns the rank that it concerns, the first one where it is a whole worker; empty where it
   * concerns a publisher, another router, or all.
   */
  public Optional<WorkerWithDpRank> worker() {
    return Optional.ofNullable(worker);
  }

  /** Returns when it was found first, by the router's wall clock. */
  public Instant since() {
    return since;
  }

  /** Returns the figures that show it, by name; in a fixed order, unmodifiable. */
  public Map<String, Long> evidence() {
    return evidence;
  }

  /** Returns one of the figures. */
  public OptionalLong evidence(String name) {
    Long figure = evidence.get(name);
    return figure == null ? OptionalLong.empty() : OptionalLong.of(figure);
  }

  /** Returns all of it on one line. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder(kind.description());
    text.append(": ").append(subject);
    evidence.forEach((name, figure) -> text.append(", ").append(name).append('=').append(figure));
    return text.append(", since=").append(since).toString();
  }
}
