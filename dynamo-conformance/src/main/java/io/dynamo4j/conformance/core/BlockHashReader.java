// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.core;

import com.fasterxml.jackson.databind.JsonNode;
import io.dynamo4j.conformance.CaseReader;
import io.dynamo4j.conformance.Fields;
import io.dynamo4j.conformance.MalformedCaseException;
import io.dynamo4j.conformance.Replay;

/** Tokens and options to local block hashes, or to the error of a call that was refused. */
public final class BlockHashReader implements CaseReader {

  @Override
  public String name() {
    return "block-hashes";
  }

  @Override
  public boolean reads(JsonNode content) {
    return content.has("tokens")
        && content.has("block_size")
        && content.has("local_hashes") == Fields.isAbsent(content, "error")
        && !content.has("sequence_hashes");
  }

  @Override
  public Replay replay(JsonNode content) {
    Replay replay = Replay.create();
    if (!Fields.isAbsent(content, "error")) {
      refuse(content, replay);
    } else {
      HashInput input = HashInput.of(content);
      replay.sameHashes(
          "local_hashes", Fields.bitsArray(content, "local_hashes"), input.localHashes());
    }
    return replay;
  }

  /** What the recorded call refused, ours must refuse too; the words may differ. */
  private static void refuse(JsonNode content, Replay replay) {
    try {
      HashInput.of(content).localHashes();
    } catch (IllegalArgumentException | MalformedCaseException expected) {
      return;
    }
    replay.fault("is not refused: recorded=" + Fields.text(content, "error"));
  }
}
