// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.wire;

import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.wire.WireFormatException.Reason;
import java.util.Objects;
import java.util.OptionalLong;

/**
 * What a router asks a rank for when it misses events: those from a number on, or everything.
 *
 * <p>Written are the six fields of Dynamo 1.6.1, and {@code supports_parts} in a query {@link
 * #inParts}, which the peer ignores. Read are any that are known; worker and rank are required, as
 * the peer requires them.
 */
public final class RecoveryQuery {
  private static final WireNames KEYS =
      WireNames.of(
          "worker_id",
          "dp_rank",
          "start_event_id",
          "end_event_id",
          "supports_tree_dump_failed",
          "kind",
          "supports_parts");
  private static final String RECOVERY = "recovery";

  private final WorkerWithDpRank worker;
  private final OptionalLong startEventId;
  private final OptionalLong endEventId;
  private final boolean supportsTreeDumpFailed;
  private final boolean supportsParts;

  private RecoveryQuery(
      WorkerWithDpRank worker,
      OptionalLong startEventId,
      OptionalLong endEventId,
      boolean supportsTreeDumpFailed,
      boolean supportsParts) {
    this.worker = Objects.requireNonNull(worker, "worker");
    this.startEventId = Objects.requireNonNull(startEventId, "startEventId");
    this.endEventId = Objects.requireNonNull(endEventId, "endEventId");
    this.supportsTreeDumpFailed = supportsTreeDumpFailed;
    this.supportsParts = supportsParts;
  }

  /** Asks for everything that a rank holds. */
  public static RecoveryQuery ofEverything(WorkerWithDpRank worker) {
    return new RecoveryQuery(worker, OptionalLong.empty(), OptionalLong.empty(), true, false);
  }

  /** Asks for the events from {@code startEventId} on, unsigned. */
  public static RecoveryQuery startingAt(WorkerWithDpRank worker, long startEventId) {
    return new RecoveryQuery(
        worker, OptionalLong.of(startEventId), OptionalLong.empty(), true, false);
  }

  /**
   * Returns the same query, to be answered by several items where everything is much: a {@code
   * TreeDump}, then {@code Events} that go on where it ends, all with the same last number.
   */
  public RecoveryQuery inParts() {
    return new RecoveryQuery(worker, startEventId, endEventId, supportsTreeDumpFailed, true);
  }

  public byte[] encode() {
    MsgpackWriter out = MsgpackWriter.ofExpectedSize(128);
    out.map(supportsParts ? 7 : 6).string("worker_id").unsigned(worker.workerId());
    out.string("dp_rank").unsigned(Integer.toUnsignedLong(worker.dpRank()));
    write(startEventId, out.string("start_event_id"));
    write(endEventId, out.string("end_event_id"));
    out.string("supports_tree_dump_failed").bool(supportsTreeDumpFailed);
    out.string("kind").string(RECOVERY);
    if (supportsParts) {
      out.string("supports_parts").bool(true);
    }
    return out.toByteArray();
  }

  static void write(OptionalLong number, MsgpackWriter out) {
    if (number.isPresent()) {
      out.unsigned(number.getAsLong());
    } else {
      out.nil();
    }
  }

  static OptionalLong read(MsgpackReader in) {
    return in.tryNil() ? OptionalLong.empty() : OptionalLong.of(in.readBits64());
  }

  /**
   * Reads a query.
   *
   * @throws WireFormatException if it is no map, lacks worker or rank, or is of another kind
   */
  public static RecoveryQuery decode(byte[] bytes) {
    MsgpackReader in = MsgpackReader.of(bytes);
    OptionalLong workerId = OptionalLong.empty();
    OptionalLong dpRank = OptionalLong.empty();
    OptionalLong start = OptionalLong.empty();
    OptionalLong end = OptionalLong.empty();
    boolean supportsFailed = false;
    boolean supportsParts = false;
    int entries = in.readMapHeader();
    for (int i = 0; i < entries; i++) {
      switch (in.readName(KEYS)) {
        case "worker_id" -> workerId = OptionalLong.of(in.readBits64());
        case "dp_rank" -> dpRank = OptionalLong.of(in.readBits32());
        case "start_event_id" -> start = read(in);
        case "end_event_id" -> end = read(in);
        case "supports_tree_dump_failed" -> supportsFailed = in.readBoolean();
        case "kind" -> checkKind(in);
        case "supports_parts" -> supportsParts = in.readBoolean();
        default -> in.skip();
      }
    }
    if (workerId.isEmpty() || dpRank.isEmpty()) {
      throw in.fault(Reason.MALFORMED, "recovery query without worker or rank");
    }
    WorkerWithDpRank worker = new WorkerWithDpRank(workerId.getAsLong(), (int) dpRank.getAsLong());
    return new RecoveryQuery(worker, start, end, supportsFailed, supportsParts);
  }

  private static void checkKind(MsgpackReader in) {
    if (in.nextKind() != MsgpackReader.Kind.STRING || !in.readString().equals(RECOVERY)) {
      throw in.fault(Reason.MALFORMED, "kind of recovery query");
    }
  }

  public WorkerWithDpRank worker() {
    return worker;
  }

  /** Returns the first number wanted; empty or 0 asks for everything. */
  public OptionalLong startEventId() {
    return startEventId;
  }

  /** Returns the last number wanted, empty for the newest. */
  public OptionalLong endEventId() {
    return endEventId;
  }

  /** Returns whether the answer may come as several items, see {@link #inParts}. */
  public boolean supportsParts() {
    return supportsParts;
  }

  /** Returns whether the answer may say that everything could not be listed. */
  public boolean supportsTreeDumpFailed() {
    return supportsTreeDumpFailed;
  }
}
