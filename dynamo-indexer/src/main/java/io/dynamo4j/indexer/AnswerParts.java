// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer;

import io.dynamo4j.wire.RecoveryResponse;
import io.dynamo4j.wire.RecoveryResponse.Events;
import io.dynamo4j.wire.RecoveryResponse.Failed;
import io.dynamo4j.wire.RecoveryResponse.TreeDump;
import io.dynamo4j.wire.RecoveryResponseCodec;
import io.dynamo4j.wire.RouterEventBatch;
import java.util.ArrayList;
import java.util.List;

/** The items of a source's answer as the one answer that they are. */
final class AnswerParts {
  private AnswerParts() {}

  /**
   * Returns the one item, or a dump of what all items say in their order; {@link Failed} if they do
   * not belong together, or one of them says that the source has failed.
   *
   * @throws io.dynamo4j.wire.WireFormatException if an item cannot be read
   */
  static RecoveryResponse join(List<byte[]> items) {
    RecoveryResponse first = RecoveryResponseCodec.decode(items.get(0));
    if (!(first instanceof TreeDump dump)) {
      return items.size() == 1 ? first : new Failed("more than one answer");
    }
    RecoveryResponse last = RecoveryResponseCodec.decode(items.get(items.size() - 1));
    if (last instanceof Failed || last instanceof RecoveryResponse.TreeDumpFailed) {
      return last;
    }
    if (items.size() != dump.parts()) {
      return new Failed("parts are missing: items=" + items.size() + ", parts=" + dump.parts());
    }
    List<RouterEventBatch> parts = new ArrayList<>(items.size());
    parts.add(dump.events());
    for (byte[] item : items.subList(1, items.size())) {
      RecoveryResponse part = RecoveryResponseCodec.decode(item);
      if (!(part instanceof Events events) || events.lastEventId() != dump.lastEventId()) {
        return new Failed("parts of an answer do not belong together");
      }
      parts.add(events.events());
    }
    return new TreeDump(RouterEventBatch.join(parts), dump.lastEventId());
  }
}
