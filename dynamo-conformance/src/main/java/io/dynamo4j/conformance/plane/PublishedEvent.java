// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.plane;

import com.fasterxml.jackson.databind.JsonNode;
import io.dynamo4j.conformance.Fields;
import io.dynamo4j.core.model.KvCacheEventData;
import io.dynamo4j.core.model.RouterEvent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One event as routers receive it, without its number and without what indexes do not read.
 *
 * @param parent the parent's hash as text, null for none
 * @param blocks hashes as text, {@code hash} or {@code hash:content}
 */
public record PublishedEvent(
    String tier, int dpRank, String kind, @Nullable String parent, List<String> blocks) {

  public static PublishedEvent of(RouterEvent event) {
    KvCacheEventData data = event.event().data();
    String tier = event.tier().wireName();
    int dpRank = event.event().dpRank();
    if (data instanceof KvCacheEventData.Stored stored) {
      List<String> blocks = new ArrayList<>();
      for (int i = 0; i < stored.blockCount(); i++) {
        blocks.add(block(stored.blockHashes()[i], stored.tokensHashes()[i]));
      }
      String parent = stored.hasParent() ? Long.toUnsignedString(stored.parentHash()) : null;
      return new PublishedEvent(tier, dpRank, "stored", parent, blocks);
    }
    if (data instanceof KvCacheEventData.Removed removed) {
      List<String> hashes =
          Arrays.stream(removed.blockHashes()).mapToObj(Long::toUnsignedString).toList();
      return new PublishedEvent(tier, dpRank, "removed", null, hashes);
    }
    return new PublishedEvent(tier, dpRank, "cleared", null, List.of());
  }

  /** Reads a recorded event. */
  public static PublishedEvent of(JsonNode recorded) {
    JsonNode event = Fields.required(recorded, "event");
    JsonNode data = Fields.required(event, "data");
    String tier = Fields.text(recorded, "storage_tier");
    int dpRank = (int) Fields.bits(Fields.required(event, "dp_rank"));
    if (data.has("stored")) {
      JsonNode stored = data.get("stored");
      List<String> blocks = new ArrayList<>();
      for (JsonNode block : Fields.array(stored, "blocks")) {
        blocks.add(
            block(
                Fields.bits(Fields.required(block, "block_hash")),
                Fields.bits(Fields.required(block, "tokens_hash"))));
      }
      String parent =
          Fields.isAbsent(stored, "parent_hash")
              ? null
              : Long.toUnsignedString(Fields.bits(stored.get("parent_hash")));
      return new PublishedEvent(tier, dpRank, "stored", parent, blocks);
    }
    if (data.has("removed")) {
      List<String> hashes =
          Arrays.stream(Fields.bitsArray(data.get("removed"), "block_hashes"))
              .mapToObj(Long::toUnsignedString)
              .toList();
      return new PublishedEvent(tier, dpRank, "removed", null, hashes);
    }
    return new PublishedEvent(tier, dpRank, data.asText(), null, List.of());
  }

  /** Returns the event with the hashes of its blocks only. */
  public PublishedEvent withoutContents() {
    List<String> hashes = blocks.stream().map(block -> block.replaceFirst(":.*", "")).toList();
    return new PublishedEvent(tier, dpRank, kind, parent, hashes);
  }

  public static String block(long hash, long content) {
    return Long.toUnsignedString(hash) + ":" + Long.toUnsignedString(content);
  }
}
