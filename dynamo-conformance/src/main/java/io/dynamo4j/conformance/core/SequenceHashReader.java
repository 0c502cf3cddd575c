// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.core;

import com.fasterxml.jackson.databind.JsonNode;
import io.dynamo4j.conformance.CaseReader;
import io.dynamo4j.conformance.Fields;
import io.dynamo4j.conformance.Replay;
import io.dynamo4j.core.hash.SequenceHasher;
import io.dynamo4j.core.token.TokenAccumulator;
import io.dynamo4j.core.token.TokenSlice;
import java.util.Arrays;

/** Tokens and options to local and sequence hashes, at once and token by token. */
public final class SequenceHashReader implements CaseReader {

  @Override
  public String name() {
    return "sequence-hashes";
  }

  @Override
  public boolean reads(JsonNode content) {
    return content.has("tokens")
        && content.has("block_size")
        && content.has("local_hashes")
        && content.has("sequence_hashes");
  }

  @Override
  public Replay replay(JsonNode content) {
    Replay replay = Replay.create();
    HashInput input = HashInput.of(content);
    long[] local = input.localHashes();
    long[] sequence = new long[local.length];
    SequenceHasher.hash(local, local.length, sequence);
    long[] recorded = Fields.bitsArray(content, "sequence_hashes");
    replay.sameHashes("local_hashes", Fields.bitsArray(content, "local_hashes"), local);
    replay.sameHashes("sequence_hashes", recorded, sequence);
    if (input.media().isEmpty()) {
      replay.sameHashes("sequence_hashes token by token", recorded, accumulated(input));
    }
    return replay;
  }

  private static long[] accumulated(HashInput input) {
    TokenAccumulator stream = TokenAccumulator.startingWith(TokenSlice.empty(), input.hasher());
    for (int i = 0; i < input.tokens().length(); i++) {
      stream.append(input.tokens().get(i));
    }
    return Arrays.copyOf(stream.sequenceHashes(), stream.blockCount());
  }
}
