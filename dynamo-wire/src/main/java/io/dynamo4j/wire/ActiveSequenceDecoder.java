// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.wire;

import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.wire.ActiveSequenceEvent.Kind;
import io.dynamo4j.wire.WireFormatException.Reason;
import org.jspecify.annotations.Nullable;

/** Reads one event map, already known to be whole. */
final class ActiveSequenceDecoder {
  private static final long NANOS_PER_SECOND = 1_000_000_000L;

  private static final WireNames KEYS =
      WireNames.of(
          "request_id",
          "worker",
          "data",
          "router_id",
          "lora_name",
          "worker_id",
          "dp_rank",
          "AddRequest",
          "MarkPrefillCompleted",
          "Free",
          "token_sequence",
          "track_prefill_tokens",
          "expected_output_tokens",
          "prefill_load_hint",
          "initial_effective_prefill_tokens",
          "expected_prefill_duration",
          "secs",
          "nanos");

  private ActiveSequenceDecoder() {}

  /** Returns the event, or null if it cannot be used. */
  static @Nullable ActiveSequenceEvent readOrRefuse(MsgpackReader element) {
    try {
      element.depth();
      return readEvent(element);
    } catch (WireFormatException refused) {
      return null;
    }
  }

  private static ActiveSequenceEvent readEvent(MsgpackReader in) {
    String requestId = null;
    WorkerWithDpRank worker = null;
    Kind kind = null;
    AddedSequence added = null;
    long routerId = 0;
    boolean hasRouter = false;
    String loraName = null;
    int entries = in.readMapHeader();
    for (int i = 0; i < entries; i++) {
      switch (in.readName(KEYS)) {
        case "request_id" -> requestId = in.readString();
        case "worker" -> worker = readWorker(in);
        case "data" -> {
          boolean isBareName = in.nextKind() == MsgpackReader.Kind.STRING;
          kind = readKind(in, isBareName);
          added = isBareName ? null : readAdded(in);
        }
        case "router_id" -> {
          routerId = in.readBits64();
          hasRouter = true;
        }
        case "lora_name" -> loraName = in.tryNil() ? null : in.readString();
        default -> in.skip();
      }
    }
    if (requestId == null || worker == null || kind == null || !hasRouter) {
      throw in.fault(Reason.MALFORMED, "active sequence lacks a field");
    }
    return switch (kind) {
      case ADD_REQUEST ->
          ActiveSequenceEvent.add(requestId, worker, required(added, in), routerId, loraName);
      case MARK_PREFILL_COMPLETED ->
          ActiveSequenceEvent.markPrefillCompleted(requestId, worker, routerId, loraName);
      case FREE -> ActiveSequenceEvent.free(requestId, worker, routerId, loraName);
    };
  }

  private static AddedSequence required(@Nullable AddedSequence added, MsgpackReader in) {
    if (added == null) {
      throw in.fault(Reason.MALFORMED, "AddRequest without content");
    }
    return added;
  }

  private static WorkerWithDpRank readWorker(MsgpackReader in) {
    long workerId = 0;
    boolean hasId = false;
    int dpRank = 0;
    int entries = in.readMapHeader();
    for (int i = 0; i < entries; i++) {
      switch (in.readName(KEYS)) {
        case "worker_id" -> {
          workerId = in.readBits64();
          hasId = true;
        }
        case "dp_rank" -> dpRank = in.readBits32();
        default -> in.skip();
      }
    }
    if (!hasId) {
      throw in.fault(Reason.MALFORMED, "worker");
    }
    return new WorkerWithDpRank(workerId, dpRank);
  }

  private static Kind readKind(MsgpackReader in, boolean isBareName) {
    if (!isBareName && in.readMapHeader() != 1) {
      throw in.fault(Reason.MALFORMED, "data");
    }
    String name = in.readName(KEYS);
    for (Kind kind : Kind.values()) {
      if (kind.wireName().equals(name) && (kind == Kind.ADD_REQUEST) != isBareName) {
        return kind;
      }
    }
    throw in.fault(Reason.MALFORMED, "kind of data");
  }

  private static AddedSequence readAdded(MsgpackReader in) {
    long[] hashes = null;
    boolean track = true;
    long expectedOutput = AddedSequence.UNKNOWN;
    long[] hint = {AddedSequence.UNKNOWN, AddedSequence.UNKNOWN};
    int entries = in.readMapHeader();
    for (int i = 0; i < entries; i++) {
      switch (in.readName(KEYS)) {
        case "token_sequence" -> hashes = in.tryNil() ? null : readHashes(in);
        case "track_prefill_tokens" -> track = in.readBoolean();
        case "expected_output_tokens" ->
            expectedOutput =
                in.tryNil() ? AddedSequence.UNKNOWN : Integer.toUnsignedLong(in.readBits32());
        case "prefill_load_hint" -> readHint(in, hint);
        default -> in.skip();
      }
    }
    return AddedSequence.of(hashes, track, expectedOutput, hint[0], hint[1]);
  }

  private static long[] readHashes(MsgpackReader in) {
    long[] hashes = new long[in.readArrayHeader()];
    for (int i = 0; i < hashes.length; i++) {
      hashes[i] = in.readBits64();
    }
    return hashes;
  }

  private static void readHint(MsgpackReader in, long[] hint) {
    if (in.tryNil()) {
      return;
    }
    int entries = in.readMapHeader();
    for (int i = 0; i < entries; i++) {
      switch (in.readName(KEYS)) {
        case "initial_effective_prefill_tokens" -> hint[0] = readCount(in);
        case "expected_prefill_duration" -> {
          if (!in.tryNil()) {
            hint[1] = readDuration(in);
          }
        }
        default -> in.skip();
      }
    }
    if (hint[0] < 0) {
      throw in.fault(Reason.MALFORMED, "prefill_load_hint");
    }
  }

  /** Reads an unsigned number; beyond 2^63 it is no count. */
  private static long readCount(MsgpackReader in) {
    long value = in.readBits64();
    if (value < 0) {
      throw in.fault(Reason.MALFORMED, "count");
    }
    return value;
  }

  /** Reads seconds and nanoseconds; more than 292 years count as 292. */
  private static long readDuration(MsgpackReader in) {
    long secs = 0;
    long nanos = 0;
    int entries = in.readMapHeader();
    for (int i = 0; i < entries; i++) {
      switch (in.readName(KEYS)) {
        case "secs" -> secs = readCount(in);
        case "nanos" -> nanos = Integer.toUnsignedLong(in.readBits32());
        default -> in.skip();
      }
    }
    return secs > Long.MAX_VALUE / NANOS_PER_SECOND - 5
        ? Long.MAX_VALUE
        : secs * NANOS_PER_SECOND + nanos;
  }
}
