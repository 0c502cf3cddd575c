// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.wire;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/**
 * One of the event dictionaries that TensorRT-LLM hands out on request, as a batch of its own for
 * {@link EngineBatchReader}.
 */
public final class PulledEngineEvent {
  private static final WireNames KEYS = WireNames.of("event_id", "attention_dp_rank");

  private final int dpRank;
  private final boolean hasId;
  private final long eventId;
  private final byte[] batch;

  private PulledEngineEvent(int dpRank, boolean hasId, long eventId, byte[] batch) {
    this.dpRank = dpRank;
    this.hasId = hasId;
    this.eventId = eventId;
    this.batch = batch;
  }

  /**
   * Reads what the engine answered: a JSON array of dictionaries, or one dictionary.
   *
   * <p>What a dictionary says is not looked at but for its id and rank; an item that is none is
   * handed on, so that whoever reads the batches counts it.
   *
   * @throws WireFormatException if it is no JSON or beyond {@link WireLimits}
   */
  public static List<PulledEngineEvent> read(byte[] json) {
    MsgpackReader in = MsgpackReader.of(JsonValues.toMsgpack(json));
    in.depth();
    in.seek(0);
    int items = in.nextKind() == MsgpackReader.Kind.ARRAY ? in.readArrayHeader() : 1;
    List<PulledEngineEvent> events = new ArrayList<>();
    for (int i = 0; i < items; i++) {
      events.add(readOne(in));
    }
    return Collections.unmodifiableList(events);
  }

  private static PulledEngineEvent readOne(MsgpackReader in) {
    int start = in.position();
    in.skip();
    int end = in.position();
    MsgpackReader item = in.slice(start, end);
    int dpRank = 0;
    boolean hasId = false;
    long eventId = 0;
    if (item.nextKind() == MsgpackReader.Kind.MAP) {
      int entries = item.readMapHeader();
      for (int i = 0; i < entries; i++) {
        String key = item.readName(KEYS);
        boolean number = item.nextKind() == MsgpackReader.Kind.INTEGER && !item.nextIsNegative();
        if (number && key.equals("event_id")) {
          eventId = item.readBits64();
          hasId = true;
        } else if (number && key.equals("attention_dp_rank")) {
          dpRank = (int) Math.min(item.readBits64(), Integer.MAX_VALUE);
        } else {
          item.skip();
        }
      }
    }
    MsgpackWriter out = MsgpackWriter.ofExpectedSize(end - start + 4);
    out.array(3).nil().array(1).raw(Arrays.copyOfRange(in.bytes(), start, end)).nil();
    return new PulledEngineEvent(dpRank, hasId, eventId, out.toByteArray());
  }

  /** Returns the rank that the event is of, 0 if it names none. */
  public int dpRank() {
    return dpRank;
  }

  /** Returns whether the event has a number. */
  public boolean hasId() {
    return hasId;
  }

  /** Returns the rank's number of the event, unsigned; meaningless unless {@link #hasId}. */
  public long eventId() {
    return eventId;
  }

  /** Returns a batch with this event alone; not to be modified. */
  public byte[] batch() {
    return batch;
  }
}
