// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.wire;

import io.dynamo4j.wire.WireFormatException.Reason;
import java.util.ArrayList;
import java.util.List;

/**
 * The payload of topic {@code active_sequences_events}: one event as a named MessagePack map, which
 * is what Dynamo 1.6.1 sends over NATS, or {@code {"events": [event…]}}, which it sends over ZMQ.
 *
 * <p>Written are its fields in its order, absent values as nil. Read is either form in any order;
 * keys that are not known are passed over.
 *
 * <p><b>Threads.</b> Stateless.
 */
public final class ActiveSequenceCodec {
  /** The topic's name. */
  public static final String TOPIC = "active_sequences_events";

  private static final int BYTES_PER_EVENT = 400;
  private static final int BYTES_PER_HASH = 9;
  private static final long NANOS_PER_SECOND = 1_000_000_000L;

  private static final WireNames KEYS = WireNames.of("events");

  private ActiveSequenceCodec() {}

  /* --------------- Writing --------------- */

  /** Returns the payload of one event that stands alone. */
  public static byte[] encode(ActiveSequenceEvent event) {
    MsgpackWriter out = MsgpackWriter.ofExpectedSize(expectedBytes(event));
    write(event, out);
    return out.toByteArray();
  }

  /** Returns the payload of several events; O(hashes). */
  public static byte[] encodeBatch(List<ActiveSequenceEvent> events) {
    int expected = 16;
    for (ActiveSequenceEvent event : events) {
      expected += expectedBytes(event);
    }
    MsgpackWriter out = MsgpackWriter.ofExpectedSize(expected);
    out.map(1).string("events");
    write(events, out);
    return out.toByteArray();
  }

  static void write(List<ActiveSequenceEvent> events, MsgpackWriter out) {
    out.array(events.size());
    for (ActiveSequenceEvent event : events) {
      write(event, out);
    }
  }

  private static int expectedBytes(ActiveSequenceEvent event) {
    AddedSequence added = event.added();
    long[] hashes = added == null ? null : added.tokenSequence();
    return BYTES_PER_EVENT
        + event.requestId().length()
        + (hashes == null ? 0 : hashes.length * BYTES_PER_HASH);
  }

  private static void write(ActiveSequenceEvent event, MsgpackWriter out) {
    out.map(5).string("request_id").string(event.requestId()).string("worker").map(2);
    out.string("worker_id").unsigned(event.worker().workerId());
    out.string("dp_rank").unsigned(Integer.toUnsignedLong(event.worker().dpRank()));
    out.string("data");
    AddedSequence added = event.added();
    if (added == null) {
      out.string(event.kind().wireName());
    } else {
      out.map(1).string(event.kind().wireName());
      write(added, out);
    }
    out.string("router_id").unsigned(event.routerId()).string("lora_name");
    String loraName = event.loraName();
    if (loraName == null) {
      out.nil();
    } else {
      out.string(loraName);
    }
  }

  private static void write(AddedSequence added, MsgpackWriter out) {
    out.map(4).string("token_sequence");
    long[] hashes = added.tokenSequence();
    if (hashes == null) {
      out.nil();
    } else {
      out.array(hashes.length);
      for (long hash : hashes) {
        out.unsigned(hash);
      }
    }
    out.string("track_prefill_tokens").bool(added.trackPrefillTokens());
    out.string("expected_output_tokens");
    unsignedOrNil(added.expectedOutputTokens(), out);
    out.string("prefill_load_hint");
    if (added.prefillTokens() < 0) {
      out.nil();
      return;
    }
    out.map(2).string("initial_effective_prefill_tokens").unsigned(added.prefillTokens());
    out.string("expected_prefill_duration");
    long nanos = added.expectedPrefillNanos();
    if (nanos < 0) {
      out.nil();
    } else {
      out.map(2).string("secs").unsigned(nanos / NANOS_PER_SECOND);
      out.string("nanos").unsigned(nanos % NANOS_PER_SECOND);
    }
  }

  private static void unsignedOrNil(long value, MsgpackWriter out) {
    if (value < 0) {
      out.nil();
    } else {
      out.unsigned(value);
    }
  }

  /* --------------- Reading --------------- */

  /**
   * Reads a payload of either form. An event that cannot be used is counted and left out.
   *
   * @throws WireFormatException if the payload as a whole is not one map: truncated, with bytes
   *     left over, beyond {@link WireLimits#MAX_FRAME_BYTES}, or of another type
   */
  public static ActiveSequenceBatch decode(byte[] payload) {
    MsgpackReader in = MsgpackReader.of(payload);
    if (payload.length > WireLimits.MAX_FRAME_BYTES) {
      throw in.fault(Reason.TOO_LARGE, "payload bytes " + payload.length);
    }
    in.skip();
    if (in.hasRemaining()) {
      throw in.fault(Reason.TRAILING_BYTES, "payload");
    }
    in.seek(0);
    int entries = in.readMapHeader();
    for (int i = 0; i < entries; i++) {
      if (in.readName(KEYS).equals("events")) {
        return readEvents(in);
      }
      in.skip();
    }
    ActiveSequenceEvent alone = ActiveSequenceDecoder.readOrRefuse(in.slice(0, payload.length));
    return new ActiveSequenceBatch(
        alone == null ? List.of() : List.of(alone), alone == null ? 1 : 0);
  }

  /** Reads a list of events, the cursor being known to run over whole values. */
  static ActiveSequenceBatch readEvents(MsgpackReader in) {
    int count = in.readArrayHeader();
    List<ActiveSequenceEvent> events = new ArrayList<>();
    int rejected = 0;
    for (int i = 0; i < count; i++) {
      int start = in.position();
      in.skip();
      ActiveSequenceEvent event =
          ActiveSequenceDecoder.readOrRefuse(in.slice(start, in.position()));
      if (event == null) {
        rejected++;
      } else {
        events.add(event);
      }
    }
    return new ActiveSequenceBatch(events, rejected);
  }
}
