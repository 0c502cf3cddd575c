// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.hash;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.dynamo4j.core.testing.SharedData;
import io.dynamo4j.core.token.TokenAccumulator;
import io.dynamo4j.core.token.TokenSlice;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Every recorded hash of Dynamo's runtime, bit for bit. */
class GoldenHashTest {

  @Test
  void shouldGiveTheRecordedBlockHashes() throws IOException {
    JsonNode cases = cases("core/block-hashes.json");
    int seen = 0;
    for (JsonNode one : cases) {
      if (one.has("local_hashes")) {
        assertThat(localHashes(one, "cache_namespace"))
            .as(one.toString())
            .isEqualTo(unsigned(one.get("local_hashes")));
        seen++;
      }
    }
    assertThat(seen).isGreaterThan(300);
  }

  @Test
  void shouldGiveTheRecordedSequenceHashes() throws IOException {
    JsonNode cases = cases("core/sequence-hashes.json");
    for (JsonNode one : cases) {
      long[] local = localHashes(one, "cache_salt");
      assertThat(local).as(one.toString()).isEqualTo(unsigned(one.get("local_hashes")));
      long[] sequence = new long[local.length];
      SequenceHasher.hash(local, local.length, sequence);
      assertThat(sequence).as(one.toString()).isEqualTo(unsigned(one.get("sequence_hashes")));
    }
    assertThat(cases.size()).isGreaterThan(100);
  }

  @Test
  void shouldGiveTheRecordedHashesWhenTokensArriveOneByOne() throws IOException {
    int seen = 0;
    for (JsonNode one : cases("core/sequence-hashes.json")) {
      if (!one.has("block_mm_infos")) {
        BlockHasher hasher = BlockHasher.of(options(one, "cache_salt"));
        TokenAccumulator stream = TokenAccumulator.startingWith(TokenSlice.empty(), hasher);
        for (int token : tokens(one)) {
          stream.append(token);
        }
        long[] expected = unsigned(one.get("sequence_hashes"));
        assertThat(stream.blockCount()).isEqualTo(expected.length);
        assertThat(stream.sequenceHashes()).startsWith(expected);
        seen++;
      }
    }
    assertThat(seen).isGreaterThan(50);
  }

  @Test
  void shouldGiveTheRecordedLoraIds() throws IOException {
    JsonNode cases = cases("core/lora.json");
    for (JsonNode one : cases) {
      assertThat(LoraIds.of(one.get("lora_name").asText()))
          .as(one.toString())
          .isEqualTo(one.get("lora_id").asInt());
    }
    assertThat(cases.size()).isGreaterThan(70);
  }

  private static JsonNode cases(String file) throws IOException {
    return new ObjectMapper().readTree(SharedData.golden(file).toFile()).get("cases");
  }

  private static long[] localHashes(JsonNode one, String namespaceKey) {
    BlockHasher hasher = BlockHasher.of(options(one, namespaceKey));
    TokenSlice tokens = TokenSlice.wrap(tokens(one));
    long[] out = new long[hasher.blockCount(tokens.length())];
    assertThat(hasher.hash(tokens, mmHashes(one), out)).isEqualTo(out.length);
    return out;
  }

  private static BlockHashOptions options(JsonNode one, String namespaceKey) {
    return BlockHashOptions.builder(one.get("block_size").asInt())
        .loraName(one.path("lora_name").asText(""))
        .cacheNamespace(one.path(namespaceKey).asText(""))
        .eagle(one.path("is_eagle").asBoolean(one.path("worker_is_eagle").asBoolean()))
        .build();
  }

  private static int[] tokens(JsonNode one) {
    JsonNode tokens = one.get("tokens");
    int[] values = new int[tokens.size()];
    for (int i = 0; i < values.length; i++) {
      values[i] = (int) tokens.get(i).asLong();
    }
    return values;
  }

  private static long[][] mmHashes(JsonNode one) {
    List<long[]> blocks = new ArrayList<>();
    for (JsonNode block : one.path("block_mm_infos")) {
      List<JsonNode> objects = new ArrayList<>();
      block.path("mm_objects").forEach(objects::add);
      blocks.add(
          objects.stream()
              .mapToLong(o -> Long.parseUnsignedLong(o.get("mm_hash").asText()))
              .toArray());
    }
    return blocks.toArray(new long[0][]);
  }

  private static long[] unsigned(JsonNode hashes) {
    long[] values = new long[hashes.size()];
    for (int i = 0; i < values.length; i++) {
      values[i] = Long.parseUnsignedLong(hashes.get(i).asText());
    }
    return values;
  }
}
