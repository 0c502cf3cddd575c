// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.wire;

import io.dynamo4j.core.model.KvCacheEvent;
import io.dynamo4j.core.model.KvCacheEventData;
import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.wire.RouterEventBatch.Reject;
import io.dynamo4j.wire.WireFormatException.Reason;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * The payload of topic {@code kv-events}: an array of events as named MessagePack maps.
 *
 * <p>Written are the fields of Dynamo 1.6.1 in its order, {@code residency_domain} always {@code
 * "worker"}, absent values as nil. Read are also older forms: fields 2 and 3 missing, no {@code
 * dp_rank}, one bare map instead of an array. Keys that are not known are ignored.
 *
 * <p><b>Threads.</b> Stateless.
 */
public final class RouterEventCodec {
  private static final int BYTES_PER_EVENT = 160;
  private static final int BYTES_PER_BLOCK = 64;
  private static final int ROOM_FOR_EVENTS = 64;
  private static final Map<Reject, Integer> NO_REJECTS = Collections.emptyMap();

  private RouterEventCodec() {}

  /** Returns the payload for these events; O(blocks). */
  public static byte[] encode(List<RouterEvent> events) {
    int blocks = 0;
    for (RouterEvent event : events) {
      blocks += event.event().data().blockCount();
    }
    MsgpackWriter out =
        MsgpackWriter.ofExpectedSize(events.size() * BYTES_PER_EVENT + blocks * BYTES_PER_BLOCK);
    write(events, out);
    return out.toByteArray();
  }

  static void write(List<RouterEvent> events, MsgpackWriter out) {
    out.array(events.size());
    for (RouterEvent event : events) {
      write(event, out);
    }
  }

  private static void write(RouterEvent event, MsgpackWriter out) {
    KvCacheEvent cacheEvent = event.event();
    out.map(4).string("worker_id").unsigned(event.workerId());
    out.string("storage_tier").string(event.tier().wireName());
    out.string("residency_domain").string("worker");
    out.string("event").map(3).string("event_id").unsigned(cacheEvent.eventId()).string("data");
    write(cacheEvent.data(), out);
    out.string("dp_rank").unsigned(Integer.toUnsignedLong(cacheEvent.dpRank()));
  }

  private static void write(KvCacheEventData data, MsgpackWriter out) {
    if (data instanceof KvCacheEventData.Stored stored) {
      write(stored, out);
    } else if (data instanceof KvCacheEventData.Removed removed) {
      long[] hashes = removed.blockHashes();
      out.map(1).string("removed").map(1).string("block_hashes").array(hashes.length);
      for (long hash : hashes) {
        out.unsigned(hash);
      }
    } else {
      out.string("cleared");
    }
  }

  private static void write(KvCacheEventData.Stored stored, MsgpackWriter out) {
    out.map(1).string("stored").map(3).string("parent_hash");
    if (stored.hasParent()) {
      out.unsigned(stored.parentHash());
    } else {
      out.nil();
    }
    out.string("start_position").nil().string("blocks").array(stored.blockCount());
    for (int i = 0; i < stored.blockCount(); i++) {
      out.map(3).string("block_hash").unsigned(stored.blockHashes()[i]);
      out.string("tokens_hash").unsigned(stored.tokensHashes()[i]);
      out.string("mm_extra_info").nil();
    }
  }

  /**
   * Reads a payload. An event that cannot be used is counted and left out; the others count.
   *
   * @throws WireFormatException if the payload as a whole is no list of values: truncated, with
   *     bytes left over, beyond {@link WireLimits#MAX_FRAME_BYTES}, or of another type
   */
  public static RouterEventBatch decode(byte[] payload) {
    MsgpackReader in = MsgpackReader.of(payload);
    if (payload.length > WireLimits.MAX_FRAME_BYTES) {
      throw in.fault(Reason.TOO_LARGE, "payload bytes " + payload.length);
    }
    RouterEventBatch batch = read(in);
    if (in.hasRemaining()) {
      throw in.fault(Reason.TRAILING_BYTES, "payload");
    }
    return batch;
  }

  /** Reads a list of events, or one that stands alone. */
  static RouterEventBatch read(MsgpackReader in) {
    boolean bareMap = in.nextKind() == MsgpackReader.Kind.MAP;
    int count = bareMap ? 1 : in.readArrayHeader();
    List<RouterEvent> events = new ArrayList<>(Math.min(count, ROOM_FOR_EVENTS));
    Map<Reject, Integer> rejects = NO_REJECTS;
    int firstRejected = -1;
    UsualEventForm usual = in.usualEvents();
    for (int i = 0; i < count; i++) {
      Object decoded = read(in, usual);
      if (decoded instanceof RouterEvent event) {
        events.add(event);
      } else {
        rejects = firstRejected < 0 ? new EnumMap<>(Reject.class) : rejects;
        rejects.merge((Reject) decoded, 1, Integer::sum);
        firstRejected = firstRejected < 0 ? i : firstRejected;
      }
    }
    return new RouterEventBatch(events, rejects, firstRejected);
  }

  private static Object read(MsgpackReader in, UsualEventForm usual) {
    int start = in.position();
    RouterEvent event = usual.read(start);
    if (event != null) {
      in.seek(usual.position());
      return event;
    }
    in.skip();
    return RouterEventDecoder.decode(in.slice(start, in.position()));
  }
}
