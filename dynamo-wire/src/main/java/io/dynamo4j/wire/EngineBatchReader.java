// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.wire;

import io.dynamo4j.wire.MsgpackReader.Kind;
import io.dynamo4j.wire.WireFormatException.Reason;
import org.jspecify.annotations.Nullable;

/**
 * Reads the batches that engines publish: {@code [time, events, rank]} as MessagePack, each event a
 * list or a map, mixed at will.
 *
 * <p>Known are the forms of vLLM 0.19 to 0.33, of SGLang 0.5.6 to 0.5.23, of simulators of both,
 * and the dictionaries of TensorRT-LLM. Unknown keys, surplus elements and bytes behind the batch
 * are passed over. An event that cannot be read has a {@link #fault} and costs itself only.
 *
 * <p><b>Cost.</b> O(bytes). A batch allocates a constant number of objects whatever its size, once
 * the buffers have grown to it.
 *
 * <p><b>Threads.</b> Not thread-safe: one reader a source.
 */
public final class EngineBatchReader {
  private static final WireNames KEYS =
      WireNames.of("ts", "events", "data_parallel_rank", "attn_dp_rank");

  /** Levels above an event: the batch and its list of events. */
  private static final int OUTER_LEVELS = 2;

  private final EngineEvent event = new EngineEvent();
  private final EngineEventParser parser = new EngineEventParser(event);
  private final NotedIntegers tokens = new NotedIntegers();
  private final UsualEngineForm usual = new UsualEngineForm(event, tokens);
  private MsgpackReader in = MsgpackReader.of(new byte[0]);
  private int remaining;
  private boolean isUsual;
  private boolean mayBeTooDeep;
  private boolean hasRank;
  private int dpRank;
  private @Nullable EngineFault fault;

  private EngineBatchReader() {}

  public static EngineBatchReader create() {
    return new EngineBatchReader();
  }

  /**
   * Begins a batch; its events follow by {@link #next}.
   *
   * @param payload not modified, and read until the last event
   * @throws WireFormatException if the bytes as a whole are no batch: truncated, beyond {@link
   *     WireLimits#MAX_FRAME_BYTES}, without a list of events, or with a rank that is no 32-bit
   *     number. No events follow then
   */
  public void open(byte[] payload) {
    remaining = 0;
    hasRank = false;
    dpRank = 0;
    fault = null;
    event.trim();
    int usualEvents = payload.length > WireLimits.MAX_FRAME_BYTES ? -1 : usual.open(payload);
    isUsual = usualEvents >= 0;
    if (isUsual) {
      remaining = usualEvents;
      hasRank = usual.number >= 0;
      dpRank = hasRank ? (int) usual.number : 0;
    } else {
      openAny(payload);
    }
  }

  private void openAny(byte[] payload) {
    in = MsgpackReader.of(payload);
    if (payload.length > WireLimits.MAX_FRAME_BYTES) {
      throw in.fault(Reason.TOO_LARGE, "payload bytes " + payload.length);
    }
    mayBeTooDeep = isTooDeep(WireLimits.MAX_DEPTH, tokens);
    int events = in.nextKind() == Kind.MAP ? openMap() : openList();
    in.seek(events);
    remaining = in.readArrayHeader();
  }

  private boolean isTooDeep(int limit, @Nullable NotedIntegers notes) {
    int start = in.position();
    try {
      return (notes == null ? in.depth() : in.depth(notes)) > limit;
    } catch (WireFormatException e) {
      if (e.reason() == Reason.TOO_DEEP) {
        return true;
      }
      throw e;
    } finally {
      in.seek(start);
    }
  }

  /** Reads all but the events and returns where they are. */
  private int openList() {
    int items = in.readArrayHeader();
    if (items < 2) {
      throw in.fault(Reason.MALFORMED, "batch items " + items);
    }
    passTime();
    int events = passEvents();
    if (items > 2) {
      readRank();
    }
    // What later versions append is not needed, but it must be whole.
    for (int i = 3; i < items; i++) {
      in.skip();
    }
    return events;
  }

  private int openMap() {
    int events = -1;
    int entries = in.readMapHeader();
    for (int i = 0; i < entries; i++) {
      switch (in.readName(KEYS)) {
        case "ts" -> passTime();
        case "events" -> events = passEvents();
        case "data_parallel_rank", "attn_dp_rank" -> readRank();
        default -> in.skip();
      }
    }
    if (events < 0) {
      throw in.fault(Reason.MALFORMED, "batch without events");
    }
    return events;
  }

  private void passTime() {
    switch (in.nextKind()) {
      case FLOAT, INTEGER, NIL -> in.skip();
      default -> throw in.fault(Reason.MALFORMED, "batch time");
    }
  }

  private int passEvents() {
    if (in.nextKind() != Kind.ARRAY) {
      throw in.fault(Reason.MALFORMED, "batch events");
    }
    int start = in.position();
    in.skip();
    return start;
  }

  private void readRank() {
    hasRank = !in.tryNil();
    if (hasRank) {
      boolean isNegative = in.nextKind() == Kind.INTEGER && in.nextIsNegative();
      long value = in.readBits64();
      if (isNegative ? value < Integer.MIN_VALUE : value >>> 32 != 0) {
        throw in.fault(Reason.MALFORMED, "batch rank");
      }
      dpRank = (int) value;
    }
  }

  /** Returns whether the batch names the rank of its events. */
  public boolean hasRank() {
    return hasRank;
  }

  /** Returns the rank, unsigned; meaningless unless {@link #hasRank()}. */
  public int dpRank() {
    return dpRank;
  }

  /** Returns how many events have not been read yet. */
  public int remaining() {
    return remaining;
  }

  /** Moves on to the next event and returns whether there was one. */
  public boolean next() {
    if (remaining == 0) {
      return false;
    }
    remaining--;
    if (isUsual) {
      usual.read();
      fault = null;
      return true;
    }
    int start = in.position();
    fault = read();
    if (fault != null) {
      in.seek(start);
      in.skip();
    }
    return true;
  }

  private @Nullable EngineFault read() {
    if (mayBeTooDeep && isTooDeep(WireLimits.MAX_DEPTH - OUTER_LEVELS, null)) {
      return EngineFault.TOO_DEEP;
    }
    return parser.parse(in);
  }

  /** Returns why the present event cannot be read, null if it can. */
  public @Nullable EngineFault fault() {
    return fault;
  }

  /** Returns the present event, valid until the next one; meaningless if it has a fault. */
  public EngineEvent event() {
    return event;
  }
}
