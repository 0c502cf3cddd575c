// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * What is wrong around a router, as of its last look.
 *
 * <p><b>Threads.</b> Immutable.
 */
public final class RouterHealth {
  private final Instant asOf;
  private final List<HealthFinding> findings;

  RouterHealth(Instant asOf, List<HealthFinding> findings) {
    this.asOf = asOf;
    this.findings = Collections.unmodifiableList(new ArrayList<>(findings));
  }

  /** The worst of what was found. */
  public enum Status {
    /** Nothing was found. */
    HEALTHY,
    /** Something is good to know, and nothing is wrong. */
    NOTICE,
    /** Something is wrong. */
    DEGRADED
  }

  public Status status() {
    if (findings.isEmpty()) {
      return Status.HEALTHY;
    }
    boolean isFault = findings.stream().anyMatch(finding -> finding.kind().isFault());
    return isFault ? Status.DEGRADED : Status.NOTICE;
  }

  /** Returns when the router looked, by its wall clock. */
  public Instant asOf() {
    return asOf;
  }

  /** Returns everything that was found, by kind, then by whom it concerns; unmodifiable. */
  public List<HealthFinding> findings() {
    return findings;
  }

  /** Returns what was found of one kind. */
  public List<HealthFinding> findings(HealthKind kind) {
    return findings.stream().filter(finding -> finding.kind() == kind).toList();
  }

  public boolean has(HealthKind kind) {
    return findings.stream().anyMatch(finding -> finding.kind() == kind);
  }

  @Override
  public String toString() {
    return "RouterHealth[status=" + status() + ", asOf=" + asOf + ", findings=" + findings + "]";
  }
}
