// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.wire;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Reads a batch into one line an event, so that readers can be compared. */
final class EngineSummary {

  private EngineSummary() {}

  static List<String> read(EngineBatchReader reader, byte[] payload) {
    List<String> lines = new ArrayList<>();
    reader.open(payload);
    lines.add("rank " + (reader.hasRank() ? Integer.toUnsignedString(reader.dpRank()) : "none"));
    while (reader.next()) {
      EngineFault fault = reader.fault();
      lines.add(fault == null ? line(reader.event()) : "fault " + fault);
    }
    return lines;
  }

  private static String line(EngineEvent event) {
    StringBuilder line = new StringBuilder().append(event.kind());
    if (event.kind() == EngineEvent.Kind.STORED || event.kind() == EngineEvent.Kind.REMOVED) {
      line.append(hashes(Arrays.copyOf(event.hashes(), event.hashCount())));
    }
    if (event.kind() == EngineEvent.Kind.STORED) {
      line.append(" parent ").append(event.hasParent() ? event.parentHash() : "none");
      int[] tokens = Arrays.copyOf(event.tokens(), event.tokenCount());
      line.append(event.isEagle() ? " pairs " : " tokens ").append(Arrays.toString(tokens));
      line.append(" size ").append(event.blockSize());
      line.append(" adapter ").append(event.loraName()).append('/').append(event.hasLoraId());
      line.append(" salt ").append(event.salt()).append('/').append(event.saltSource());
      for (int block = 0; block < event.hashCount(); block++) {
        line.append(" media ")
            .append(hashes(Arrays.stream(event.mediaOf(block)).sorted().toArray()));
      }
      line.append(event.hasUnsupportedKey() ? " unsupported" : "");
    }
    return line.append(tail(event)).toString();
  }

  private static String tail(EngineEvent event) {
    return " medium %s group %d kind %s window %d locality %s ownership %s"
        .formatted(
            event.medium(),
            event.groupIndex(),
            event.attentionKind(),
            event.window(),
            event.locality(),
            event.ownership());
  }

  static String hashes(long[] hashes) {
    return Arrays.toString(hashes);
  }
}
