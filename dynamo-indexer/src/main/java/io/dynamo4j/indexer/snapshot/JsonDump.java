// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer.snapshot;

import io.dynamo4j.core.model.KvCacheEvent;
import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.indexer.KvIndexer;
import io.dynamo4j.indexer.snapshot.SnapshotFormatException.Reason;
import io.dynamo4j.wire.JsonValues;
import io.dynamo4j.wire.RouterEventBatch;
import io.dynamo4j.wire.RouterEventBatch.Reject;
import io.dynamo4j.wire.RouterEventCodec;
import io.dynamo4j.wire.WireFormatException;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;

/**
 * The list of store events as JSON that Dynamo's routers dump: for reading by people and by peers.
 * Four times as long as {@link IndexSnapshots} and without a checksum.
 */
public final class JsonDump {

  private JsonDump() {}

  /**
   * Writes a dump; the stream stays open. Event ids count from 0.
   *
   * @param out written to on the index's lanes, whose updates wait meanwhile
   * @return completes after the last byte; exceptionally if the stream fails or the index closes
   */
  public static CompletionStage<Void> write(KvIndexer index, OutputStream out) {
    Writer writer = new Writer(out);
    return index.dump(writer::add).thenRun(writer::end);
  }

  /** One dump under way. */
  private static final class Writer {
    private final OutputStream out;
    private long events;

    Writer(OutputStream out) {
      this.out = out;
    }

    void add(RouterEvent event) {
      KvCacheEvent numbered = KvCacheEvent.of(events, event.event().dpRank(), event.event().data());
      RouterEvent dumped = RouterEvent.of(event.workerId(), event.tier(), numbered);
      byte[] list = JsonValues.toJson(RouterEventCodec.encode(List.of(dumped)));
      try {
        out.write(events++ == 0 ? '[' : ',');
        out.write(list, 1, list.length - 2);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    void end() {
      try {
        if (events == 0) {
          out.write('[');
        }
        out.write(']');
        out.flush();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /**
   * Returns the events of a dump, in its order; hand them to an index one by one.
   *
   * @throws SnapshotFormatException if it is no list of events, is longer than 64 MiB, or one of
   *     its events cannot be used; with the offset of the byte or event at which that shows
   */
  public static List<RouterEvent> read(byte[] json) throws SnapshotFormatException {
    RouterEventBatch batch;
    try {
      batch = RouterEventCodec.decode(JsonValues.toMsgpack(json));
    } catch (WireFormatException e) {
      Reason reason =
          switch (e.reason()) {
            case TRUNCATED -> Reason.TRUNCATED;
            case TRAILING_BYTES -> Reason.TRAILING_BYTES;
            case MALFORMED, TOO_LARGE, TOO_DEEP -> Reason.MALFORMED;
          };
      throw new SnapshotFormatException(reason, e.offset(), "json=" + e.getMessage());
    }
    if (batch.rejected() > 0) {
      throw new SnapshotFormatException(
          Reason.MALFORMED,
          JsonValues.offsetOfItem(json, batch.firstRejected()),
          "event="
              + batch.firstRejected()
              + ", why="
              + reasons(batch)
              + ", usable="
              + batch.events().size());
    }
    return batch.events();
  }

  private static String reasons(RouterEventBatch batch) {
    return Arrays.stream(Reject.values())
        .filter(reason -> batch.rejected(reason) > 0)
        .map(reason -> reason + ":" + batch.rejected(reason))
        .collect(Collectors.joining("+"));
  }
}
