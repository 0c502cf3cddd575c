// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.wire;

import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.wire.WireFormatException.Reason;

/**
 * The payload of topic {@code kv_metrics}: one rank's load as a named MessagePack map of five keys,
 * of which those that are not told are nil.
 *
 * <p>Reading takes keys in any order, integers of any width, unknown keys, and a missing rank as 0.
 *
 * <p><b>Threads.</b> Any; nothing is kept.
 */
public final class ActiveLoadCodec {
  /** The topic that such payloads have. */
  public static final String TOPIC = "kv_metrics";

  private static final int EXPECTED_BYTES = 128;
  private static final WireNames KEYS =
      WireNames.of(
          "worker_id",
          "dp_rank",
          "active_decode_blocks",
          "active_prefill_tokens",
          "kv_used_blocks");

  private ActiveLoadCodec() {}

  public static byte[] encode(ActiveLoad load) {
    MsgpackWriter out = MsgpackWriter.ofExpectedSize(EXPECTED_BYTES);
    out.map(5).string("worker_id").unsigned(load.worker().workerId());
    out.string("dp_rank").unsigned(Integer.toUnsignedLong(load.worker().dpRank()));
    write("active_decode_blocks", load.activeDecodeBlocks(), out);
    write("active_prefill_tokens", load.activePrefillTokens(), out);
    write("kv_used_blocks", load.kvUsedBlocks(), out);
    return out.toByteArray();
  }

  private static void write(String name, long figure, MsgpackWriter out) {
    out.string(name);
    if (figure == ActiveLoad.UNKNOWN) {
      out.nil();
    } else {
      out.unsigned(figure);
    }
  }

  /**
   * Reads a payload.
   *
   * @throws WireFormatException if it is not one map, or has no worker, or a figure is no number of
   *     at most 63 bits
   */
  public static ActiveLoad decode(byte[] payload) {
    MsgpackReader in = MsgpackReader.of(payload);
    if (payload.length > WireLimits.MAX_FRAME_BYTES) {
      throw in.fault(Reason.TOO_LARGE, "payload bytes " + payload.length);
    }
    long workerId = 0;
    boolean hasWorker = false;
    int dpRank = 0;
    long[] figures = {ActiveLoad.UNKNOWN, ActiveLoad.UNKNOWN, ActiveLoad.UNKNOWN};
    int entries = in.readMapHeader();
    for (int i = 0; i < entries; i++) {
      switch (in.readName(KEYS)) {
        case "worker_id" -> {
          workerId = in.readBits64();
          hasWorker = true;
        }
        case "dp_rank" -> dpRank = in.tryNil() ? 0 : in.readBits32();
        case "active_decode_blocks" -> figures[0] = readFigure(in);
        case "active_prefill_tokens" -> figures[1] = readFigure(in);
        case "kv_used_blocks" -> figures[2] = readFigure(in);
        default -> in.skip();
      }
    }
    if (in.hasRemaining()) {
      throw in.fault(Reason.TRAILING_BYTES, "payload");
    }
    if (!hasWorker) {
      throw in.fault(Reason.MALFORMED, "load without a worker");
    }
    return new ActiveLoad(
        new WorkerWithDpRank(workerId, dpRank), figures[0], figures[1], figures[2]);
  }

  private static long readFigure(MsgpackReader in) {
    if (in.tryNil()) {
      return ActiveLoad.UNKNOWN;
    }
    long figure = in.readBits64();
    if (figure < 0) {
      throw in.fault(Reason.MALFORMED, "load out of range");
    }
    return figure;
  }
}
