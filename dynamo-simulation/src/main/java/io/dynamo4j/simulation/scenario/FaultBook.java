// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.scenario;

import io.dynamo4j.testkit.search.FaultSpec;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A scenario's faults, found by kind and trigger. */
final class FaultBook {
  private final Map<String, FaultSpec> byTrigger = new LinkedHashMap<>();
  private final Map<String, FaultSpec> firstCuts = new LinkedHashMap<>();

  FaultBook(List<FaultSpec> faults) {
    for (FaultSpec fault : faults) {
      byTrigger.put(key(fault.kind(), fault.trigger()), fault);
      int at = fault.trigger().indexOf('@');
      if (fault.trigger().indexOf('#') > 0 && at > 0) {
        firstCuts.merge(fault.trigger().substring(0, at), fault, FaultBook::earlier);
      }
    }
  }

  private static FaultSpec earlier(FaultSpec one, FaultSpec other) {
    return tokensOf(other) < tokensOf(one) ? other : one;
  }

  Optional<FaultSpec> find(String kind, String trigger) {
    return Optional.ofNullable(byTrigger.get(key(kind, trigger)));
  }

  /** Returns what cuts an attempt's stream first, if anything does. */
  Optional<FaultSpec> firstCut(int request, int attempt) {
    return Optional.ofNullable(firstCuts.get(FaultKinds.attempt(request, attempt)));
  }

  /** Returns after how many tokens a fault comes that is bound to them. */
  static int tokensOf(FaultSpec fault) {
    return Integer.parseInt(fault.trigger().substring(fault.trigger().indexOf('@') + 1));
  }

  private static String key(String kind, String trigger) {
    return kind + "|" + trigger;
  }
}
