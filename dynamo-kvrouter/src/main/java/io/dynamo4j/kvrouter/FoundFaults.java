// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.model.WorkerWithDpRank;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What the checks of one look found; bounded. */
final class FoundFaults {
  /** How many findings one look reports; who has more wrong than that has one cause. */
  static final int MOST = 256;

  /** One finding, without its history. */
  record Fault(
      HealthKind kind,
      String subject,
      @Nullable WorkerWithDpRank worker,
      Map<String, Long> evidence) {}

  private final List<Fault> faults = new ArrayList<>();

  List<Fault> list() {
    return faults;
  }

  boolean has(HealthKind kind) {
    return faults.stream().anyMatch(fault -> fault.kind() == kind);
  }

  void add(HealthKind kind, String subject, Evidence evidence) {
    add(new Fault(kind, subject, null, evidence.figures()));
  }

  void addWorker(HealthKind kind, WorkerWithDpRank firstRank, Evidence evidence) {
    String subject = "worker=" + Long.toUnsignedString(firstRank.workerId());
    add(new Fault(kind, subject, firstRank, evidence.figures()));
  }

  void addRank(HealthKind kind, WorkerWithDpRank rank, Evidence evidence) {
    String subject =
        "worker=" + Long.toUnsignedString(rank.workerId()) + ", dpRank=" + rank.dpRank();
    add(new Fault(kind, subject, rank, evidence.figures()));
  }

  private void add(Fault fault) {
    if (faults.size() < MOST) {
      faults.add(fault);
    }
  }

  /** Figures by name, in order. */
  static final class Evidence {
    private final Map<String, Long> figures = new LinkedHashMap<>();

    private Evidence() {}

    static Evidence of(String name, long figure) {
      return new Evidence().and(name, figure);
    }

    Evidence and(String name, long figure) {
      figures.put(name, figure);
      return this;
    }

    private Map<String, Long> figures() {
      return Collections.unmodifiableMap(figures);
    }
  }
}
