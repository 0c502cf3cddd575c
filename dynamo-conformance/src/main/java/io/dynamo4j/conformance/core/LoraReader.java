// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.core;

import com.fasterxml.jackson.databind.JsonNode;
import io.dynamo4j.conformance.CaseReader;
import io.dynamo4j.conformance.Fields;
import io.dynamo4j.conformance.Replay;
import io.dynamo4j.core.hash.LoraIds;

/** Name of an adapter to its number. */
public final class LoraReader implements CaseReader {

  @Override
  public String name() {
    return "lora";
  }

  @Override
  public boolean reads(JsonNode content) {
    return content.has("lora_name") && content.has("lora_id") && !content.has("tokens");
  }

  @Override
  public Replay replay(JsonNode content) {
    Replay replay = Replay.create();
    String name = Fields.text(content, "lora_name");
    replay.same("lora_id", Fields.integer(content, "lora_id"), LoraIds.of(name));
    return replay;
  }
}
