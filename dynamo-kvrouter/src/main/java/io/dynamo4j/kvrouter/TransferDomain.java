// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.model.RoutingConstraints;
import io.dynamo4j.plane.WorkerInstance;

/**
 * Which decode workers a prefill worker may or should hand over to, by a domain of topology.
 *
 * @param prefix of the taint that names it, empty for none
 * @param weight of a preference, NaN for a requirement
 */
record TransferDomain(String prefix, double weight) {
  static final TransferDomain NONE = new TransferDomain("", Double.NaN);

  private static final String TOPOLOGY = "dynamo.topology/";

  static TransferDomain required(String domain) {
    return new TransferDomain(prefix(domain), Double.NaN);
  }

  static TransferDomain preferred(String domain, double weight) {
    ConfigRules.requireFraction("kv_transfer_preferred_weight", weight);
    return new TransferDomain(prefix(domain), weight);
  }

  private static String prefix(String domain) {
    if (domain.isEmpty()) {
      throw new IllegalArgumentException("domain must not be empty: domain=\"\"");
    }
    return TOPOLOGY + domain + "=";
  }

  /** Adds the prefill worker's domain to what the request asks for itself. */
  RoutingConstraints mergedInto(RoutingConstraints constraints, WorkerInstance prefillWorker) {
    if (prefix.isEmpty()) {
      return constraints;
    }
    RoutingConstraints.Builder merged = RoutingConstraints.builder();
    for (String taint : prefillWorker.taints()) {
      if (taint.startsWith(prefix) && Double.isNaN(weight)) {
        merged.requireTaint(taint);
      } else if (taint.startsWith(prefix)) {
        merged.preferTaint(taint, weight);
      }
    }
    constraints.requiredTaints().forEach(merged::requireTaint);
    constraints.preferredTaints().forEach(merged::preferTaint); // the request's own weight stays
    return merged.build();
  }
}
