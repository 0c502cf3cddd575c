// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.core;

import com.fasterxml.jackson.databind.JsonNode;
import io.dynamo4j.conformance.Fields;
import io.dynamo4j.core.hash.BlockHashOptions;
import io.dynamo4j.core.hash.BlockHasher;
import io.dynamo4j.core.token.TokenSlice;
import java.util.ArrayList;
import java.util.List;

/** What a case hashes: tokens, options and media, as the recorded call was given them. */
record HashInput(BlockHasher hasher, TokenSlice tokens, List<long[]> media) {

  /**
   * Reads a case.
   *
   * @throws io.dynamo4j.conformance.MalformedCaseException if a field has the wrong type
   * @throws IllegalArgumentException if our options refuse a value
   */
  static HashInput of(JsonNode content) {
    boolean eagle = Fields.flag(content, "worker_is_eagle", false);
    BlockHashOptions options =
        BlockHashOptions.builder(Fields.integer(content, "block_size"))
            .loraName(Fields.textOrEmpty(content, "lora_name"))
            .cacheNamespace(namespace(content))
            .eagle(Fields.flag(content, "is_eagle", eagle))
            .build();
    return new HashInput(
        BlockHasher.of(options), TokenSlice.wrap(Fields.tokens(content, "tokens")), media(content));
  }

  /** Returns the local hashes. */
  long[] localHashes() {
    long[] out = new long[hasher.blockCount(tokens.length())];
    hasher.hash(tokens, media.toArray(new long[0][]), out);
    return out;
  }

  /** The hashing call and the selection service name the same thing differently. */
  private static String namespace(JsonNode content) {
    return Fields.isAbsent(content, "cache_namespace")
        ? Fields.textOrEmpty(content, "cache_salt")
        : Fields.text(content, "cache_namespace");
  }

  private static List<long[]> media(JsonNode content) {
    List<long[]> blocks = new ArrayList<>();
    if (Fields.isAbsent(content, "block_mm_infos")) {
      return blocks;
    }
    for (JsonNode block : Fields.array(content, "block_mm_infos")) {
      blocks.add(block.isNull() ? new long[0] : mediaOf(block));
    }
    return blocks;
  }

  private static long[] mediaOf(JsonNode block) {
    JsonNode objects = Fields.array(block, "mm_objects");
    long[] hashes = new long[objects.size()];
    for (int i = 0; i < hashes.length; i++) {
      JsonNode hash = Fields.required(objects.get(i), "mm_hash");
      Fields.array(objects.get(i), "offsets");
      if (hash.asText().startsWith("-")) {
        throw Fields.wrong("unsigned number", "mm_hash", hash);
      }
      hashes[i] = Fields.bits(hash);
    }
    return hashes;
  }
}
