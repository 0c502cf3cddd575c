// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.scenario;

import io.dynamo4j.testkit.search.FaultSpec;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A scenario's faults, found by kind and trigger. */
final class FaultBook {
  private final Map<String, FaultSpec> byTrigger = new LinkedHashMap<>();
  private final Map<String, List<Integer>> attemptCuts = new LinkedHashMap<>();

  FaultBook(List<FaultSpec> faults) {
    for (FaultSpec fault : faults) {
      byTrigger.put(key(fault.kind(), fault.trigger()), fault);
      int at = fault.trigger().indexOf('@');
      if (fault.trigger().indexOf('#') > 0 && at > 0) {
        attemptCuts
            .computeIfAbsent(
                key(fault.kind(), fault.trigger().substring(0, at)), k -> new ArrayList<>())
            .add(Integer.parseInt(fault.trigger().substring(at + 1)));
      }
    }
  }

  Optional<FaultSpec> find(String kind, String trigger) {
    return Optional.ofNullable(byTrigger.get(key(kind, trigger)));
  }

  /** Returns after how many tokens a fault of this kind cuts the attempt; -1 for never. */
  int cutOf(String kind, int request, int attempt) {
    return attemptCuts
        .getOrDefault(key(kind, FaultKinds.attempt(request, attempt)), List.of())
        .stream()
        .mapToInt(Integer::intValue)
        .min()
        .orElse(-1);
  }

  private static String key(String kind, String trigger) {
    return kind + "|" + trigger;
  }
}
