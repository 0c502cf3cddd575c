// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.router;

import com.fasterxml.jackson.databind.JsonNode;
import io.dynamo4j.conformance.router.SteeredSelector.Row;
import io.dynamo4j.core.model.WorkerWithDpRank;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Which rank wins with what chance, computed from the case's own numbers apart from the library.
 *
 * @param overridesAct whether a request's own credit, scale and temperature count
 */
record RightDecision(RouterSetup setup, boolean overridesAct) {

  /** The numbers of one decision. */
  private record Weights(
      double credit,
      double decay,
      double scale,
      double request,
      double temperature,
      boolean prefill) {}

  Chances chances(JsonNode step, int isl, List<Row> rows, Map<WorkerWithDpRank, Integer> overlap) {
    Weights weights = weights(step);
    long least = rows.stream().mapToLong(Row::activePrefillTokens).min().orElse(0);
    List<Double> costs = new ArrayList<>();
    for (Row row : rows) {
      int device = overlap.getOrDefault(row.worker(), 0);
      costs.add(cost(weights, isl, row, device, least) * taintFactor(step, row.worker()));
    }
    double[] chances = draw(costs, weights.temperature());
    Map<String, Double> byAnswer = new TreeMap<>();
    for (int i = 0; i < chances.length; i++) {
      WorkerWithDpRank worker = rows.get(i).worker();
      byAnswer.merge(answer(worker, overlap.getOrDefault(worker, 0)), chances[i], Double::sum);
    }
    return new Chances(byAnswer);
  }

  static String answer(WorkerWithDpRank worker, int overlapBlocks) {
    return "[\""
        + RouterSetup.label(worker)
        + "\", "
        + worker.dpRank()
        + ", "
        + overlapBlocks
        + "]";
  }

  private Weights weights(JsonNode step) {
    JsonNode config = setup.content().path("router_config");
    JsonNode request = step.path(step.has("override") ? "override" : "router_config_override");
    double credit = config.path("overlap_score_credit").asDouble(1);
    double scale = config.path("prefill_load_scale").asDouble(1);
    double temperature = config.path("router_temperature").asDouble(0);
    if (overridesAct) {
      credit = request.path("overlap_score_credit").asDouble(credit);
      scale = request.path("prefill_load_scale").asDouble(scale);
      temperature = request.path("router_temperature").asDouble(temperature);
      if (request.has("overlap_score_weight")) {
        scale = request.get("overlap_score_weight").asDouble();
        credit = scale == 0 ? 0 : credit;
      }
    }
    boolean prefill = config.path("router_track_prefill_tokens").asBoolean(true);
    return new Weights(
        credit,
        config.path("overlap_score_credit_decay").asDouble(0),
        scale,
        config.path("decode_active_request_weight").asDouble(0),
        temperature,
        request.path("track_prefill_tokens").asBoolean(prefill));
  }

  private double cost(Weights weights, int isl, Row row, int device, long least) {
    double blockSize = setup.blockSize();
    double decode = row.activeBlocks() + row.addedBlocks();
    double requests = weights.request() * row.activeRequests();
    double decay = 1;
    if (weights.prefill() && weights.decay() > 0 && isl > 0) {
      double excess = (row.activePrefillTokens() - least) / blockSize;
      decay = 1 / (1 + weights.decay() * excess / Math.ceil(isl / blockSize));
    }
    double credit = weights.credit() * decay * device;
    if (!weights.prefill() && weights.credit() > 0) {
      return Math.max(0, decode - credit) + requests;
    }
    double tokens = row.activePrefillTokens() + Math.max(isl, device * blockSize);
    double blocks = weights.prefill() ? tokens / blockSize : 0;
    return weights.scale() * Math.max(0, blocks - credit) + decode + requests;
  }

  private double taintFactor(JsonNode step, WorkerWithDpRank worker) {
    JsonNode preferred = step.path("constraints").path("preferred");
    double sum = 0;
    for (String taint : setup.worker(worker).taints()) {
      sum += preferred.path(taint).asDouble(0);
    }
    return preferred.isEmpty() ? 1 : Math.exp(-Math.tanh(sum));
  }

  private static double[] draw(List<Double> costs, double temperature) {
    double min = costs.stream().mapToDouble(Double::doubleValue).min().orElse(0);
    double max = costs.stream().mapToDouble(Double::doubleValue).max().orElse(0);
    double[] weights = new double[costs.size()];
    double total = 0;
    for (int i = 0; i < weights.length; i++) {
      double above = costs.get(i) - min;
      weights[i] =
          max == min
              ? 1
              : temperature > 0
                  ? Math.exp(-above / ((max - min) * temperature))
                  : above > 0 ? 0 : 1;
      total += weights[i];
    }
    for (int i = 0; i < weights.length; i++) {
      weights[i] /= total;
    }
    return weights;
  }
}
