// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.service;

import com.fasterxml.jackson.databind.JsonNode;
import io.dynamo4j.conformance.CaseKeys;
import io.dynamo4j.conformance.CaseReader;
import io.dynamo4j.conformance.Fields;
import io.dynamo4j.conformance.NotOursRule;
import io.dynamo4j.conformance.Replay;

/** Calls of the peer's service that keeps account of bookings, into the tracker under test. */
public final class SlotTrackerReader implements CaseReader {
  /** Cases in which no call reaches an operation on bookings. */
  public static final NotOursRule PROTOCOL_ALONE =
      new NotOursRule(
          "slot-tracker-protocol-alone",
          content -> isOfService(content) && ServiceCases.hasOnlyCalls(content) && !books(content));

  @Override
  public String name() {
    return "slot-tracker";
  }

  @Override
  public boolean reads(JsonNode content) {
    return isOfService(content) && ServiceCases.hasOnlyCalls(content) && books(content);
  }

  static boolean isOfService(JsonNode content) {
    return content.path("service").asText().contains("dynamo.slot_tracker");
  }

  private static boolean books(JsonNode content) {
    for (JsonNode step : content.path("steps")) {
      if (step.path("status").asInt() == 201) {
        return true;
      }
    }
    return false;
  }

  @Override
  public CaseKeys keys() {
    return ServiceCases.KEYS;
  }

  @Override
  public Replay replay(JsonNode content) {
    Replay replay = Replay.create();
    SlotTrackerReplay run = new SlotTrackerReplay(replay);
    int number = 0;
    for (JsonNode step : Fields.array(content, "steps")) {
      String where = "step " + ++number + " " + step.path("path").asText();
      run.step(ServiceStep.ofHttp(ServiceCases.withGeneratedBody(step)), where);
    }
    return replay;
  }
}
