// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.wire;

import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.wire.WireFormatException.Reason;
import java.util.Objects;
import java.util.OptionalLong;

/**
 * How far a source of events has come, said again and again so that the loss of its last events is
 * noticed without a later one. A message of this library; peers do not know it.
 *
 * @param worker the rank
 * @param lastEventId the newest number given, unsigned; 0 before the first
 * @param blocks (hash, place) pairs that the rank holds after that event
 * @param digest of the hashes that it holds on the device; empty in most announcements
 */
public record SourceHead(
    WorkerWithDpRank worker, long lastEventId, long blocks, OptionalLong digest) {
  private static final WireNames KEYS =
      WireNames.of("worker_id", "dp_rank", "last_event_id", "blocks", "digest");

  public SourceHead {
    Objects.requireNonNull(worker, "worker");
    Objects.requireNonNull(digest, "digest");
  }

  public byte[] encode() {
    MsgpackWriter out = MsgpackWriter.ofExpectedSize(80);
    out.map(digest.isPresent() ? 5 : 4).string("worker_id").unsigned(worker.workerId());
    out.string("dp_rank").unsigned(Integer.toUnsignedLong(worker.dpRank()));
    out.string("last_event_id").unsigned(lastEventId);
    out.string("blocks").unsigned(blocks);
    if (digest.isPresent()) {
      out.string("digest").unsigned(digest.getAsLong());
    }
    return out.toByteArray();
  }

  /**
   * Reads a head; keys that are not known are ignored.
   *
   * @throws WireFormatException if it is no map, lacks a field or has bytes left over
   */
  public static SourceHead decode(byte[] bytes) {
    MsgpackReader in = MsgpackReader.of(bytes);
    OptionalLong workerId = OptionalLong.empty();
    OptionalLong dpRank = OptionalLong.empty();
    OptionalLong lastEventId = OptionalLong.empty();
    OptionalLong blocks = OptionalLong.empty();
    OptionalLong digest = OptionalLong.empty();
    int entries = in.readMapHeader();
    for (int i = 0; i < entries; i++) {
      switch (in.readName(KEYS)) {
        case "worker_id" -> workerId = OptionalLong.of(in.readBits64());
        case "dp_rank" -> dpRank = OptionalLong.of(in.readBits32());
        case "last_event_id" -> lastEventId = OptionalLong.of(in.readBits64());
        case "blocks" -> blocks = OptionalLong.of(in.readBits64());
        case "digest" -> digest = OptionalLong.of(in.readBits64());
        default -> in.skip();
      }
    }
    if (in.hasRemaining()) {
      throw in.fault(Reason.TRAILING_BYTES, "source head");
    }
    if (workerId.isEmpty() || dpRank.isEmpty() || lastEventId.isEmpty() || blocks.isEmpty()) {
      throw in.fault(Reason.MALFORMED, "source head without a field");
    }
    return new SourceHead(
        new WorkerWithDpRank(workerId.getAsLong(), (int) dpRank.getAsLong()),
        lastEventId.getAsLong(),
        blocks.getAsLong(),
        digest);
  }
}
