// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.examples.fleet;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.dynamo4j.simulation.fleet.FleetConfig;
import io.dynamo4j.simulation.fleet.FleetResult;
import io.dynamo4j.simulation.fleet.Percentiles;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Arrays;
import java.util.List;

/**
 * The run as one JSON object: what is measured in real time stands under {@code real_time}, the
 * rest is byte-equal for one seed.
 */
final class JsonSummary {

  private JsonSummary() {}

  static String of(DemoTrace trace, FleetConfig config, List<PolicyOutcome> outcomes) {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = new JsonFactory().createGenerator(text)) {
      json.writeStartObject();
      json.writeStringField("trace", trace.name());
      json.writeNumberField("requests", trace.rows().size());
      json.writeNumberField("workers", config.workers());
      json.writeNumberField("blocks", config.blocks());
      json.writeNumberField("block_size", config.blockSize());
      number(json, "arrival_speedup", config.arrivalSpeedup());
      json.writeNumberField("kill_every", config.killEvery());
      json.writeNumberField("migration_limit", config.migrationLimit());
      json.writeNumberField("seed", config.seed());
      number(json, "ceiling_hit_rate", trace.ceilingHitRate());
      json.writeArrayFieldStart("policies");
      for (PolicyOutcome outcome : outcomes) {
        policy(json, outcome);
      }
      json.writeEndArray();
      realTime(json, outcomes);
      json.writeEndObject();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return text.toString();
  }

  private static void policy(JsonGenerator json, PolicyOutcome outcome) throws IOException {
    FleetResult result = outcome.result();
    json.writeStartObject();
    json.writeStringField("policy", outcome.policy().optionName());
    number(json, "hit_rate", result.hitRate());
    json.writeNumberField("reused_tokens", result.reusedTokens());
    json.writeNumberField("input_tokens", result.inputTokens());
    percentiles(json, "ttft_ms", result.ttft());
    json.writeObjectFieldStart("itl_ms");
    number(json, "mean", result.meanItlMillis());
    json.writeEndObject();
    percentiles(json, "migration_gap_ms", result.migrationGap());
    json.writeObjectFieldStart("load");
    int[] perWorker = result.requestsPerWorker();
    json.writeNumberField("min_requests", Arrays.stream(perWorker).min().orElse(0));
    json.writeNumberField("max_requests", Arrays.stream(perWorker).max().orElse(0));
    json.writeEndObject();
    json.writeNumberField("kills", result.kills().size());
    json.writeObjectFieldStart("migrations");
    json.writeNumberField("new_request", result.newRequestMigrations());
    json.writeNumberField("ongoing_request", result.ongoingMigrations());
    json.writeEndObject();
    json.writeObjectFieldStart("streams");
    json.writeNumberField("completed", result.completedStreams());
    json.writeNumberField("failed", result.failedStreams());
    json.writeEndObject();
    tokens(json, result);
    json.writeObjectFieldStart("saved");
    json.writeNumberField("generated_tokens", result.keptTokens());
    json.writeNumberField("prefill_tokens", result.continuationReusedTokens());
    json.writeEndObject();
    number(json, "virtual_seconds", result.endNanos() / 1e9);
    json.writeNumberField("events", result.events());
    json.writeStringField("trace_hash", Long.toHexString(result.traceHash()));
    json.writeEndObject();
  }

  private static void tokens(JsonGenerator json, FleetResult result) throws IOException {
    json.writeObjectFieldStart("tokens");
    json.writeNumberField("delivered", result.tokens().delivered());
    json.writeNumberField("lost", result.tokens().lost());
    json.writeNumberField("repeated", result.tokens().repeated());
    json.writeNumberField("wrong", result.tokens().wrong());
    json.writeEndObject();
  }

  private static void percentiles(JsonGenerator json, String name, Percentiles values)
      throws IOException {
    json.writeObjectFieldStart(name);
    if (values.count() == 0) {
      json.writeNullField("mean");
      json.writeNullField("p50");
      json.writeNullField("p99");
    } else {
      number(json, "mean", values.mean());
      number(json, "p50", values.at(0.5));
      number(json, "p99", values.at(0.99));
    }
    json.writeEndObject();
  }

  private static void realTime(JsonGenerator json, List<PolicyOutcome> outcomes)
      throws IOException {
    json.writeObjectFieldStart("real_time");
    json.writeStringField("java", Runtime.version().toString());
    json.writeArrayFieldStart("policies");
    for (PolicyOutcome outcome : outcomes) {
      double seconds = outcome.wallNanos() / 1e9;
      json.writeStartObject();
      json.writeStringField("policy", outcome.policy().optionName());
      number(json, "seconds", seconds);
      if (outcome.simulatedHitRate().isPresent()) {
        number(json, "simulated_hit_rate", outcome.simulatedHitRate().getAsDouble());
      }
      number(json, "events_per_second", outcome.result().events() / seconds);
      number(json, "tokens_per_second", outcome.result().tokens().delivered() / seconds);
      json.writeEndObject();
    }
    json.writeEndArray();
    json.writeEndObject();
  }

  /** Six decimals: enough to tell runs apart, and the same text on every JDK. */
  private static void number(JsonGenerator json, String name, double value) throws IOException {
    json.writeNumberField(name, BigDecimal.valueOf(value).setScale(6, RoundingMode.HALF_UP));
  }
}
