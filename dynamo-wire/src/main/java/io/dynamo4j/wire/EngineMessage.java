// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.wire;

import io.dynamo4j.wire.WireFormatException.Reason;
import java.util.List;

/** One message of an engine's publisher or of its replay socket. */
public final class EngineMessage {
  private static final int SEQUENCE_BYTES = 8;

  private final long sequence;
  private final byte[] payload;

  private EngineMessage(byte[] sequence, byte[] payload) {
    if (sequence.length != SEQUENCE_BYTES) {
      throw new WireFormatException(Reason.MALFORMED, "sequence bytes " + sequence.length, 0);
    }
    long number = 0;
    for (byte each : sequence) {
      number = number << 8 | (each & 0xff);
    }
    this.sequence = number;
    this.payload = payload;
  }

  /**
   * Reads what a publisher sends: topic, sequence, payload. The topic may be anything.
   *
   * @throws WireFormatException unless there are three frames and the sequence has eight bytes
   */
  public static EngineMessage ofPublished(List<byte[]> frames) {
    if (frames.size() != 3) {
      throw new WireFormatException(Reason.MALFORMED, "published frames " + frames.size(), 0);
    }
    return new EngineMessage(frames.get(1), frames.get(2));
  }

  /**
   * Reads one reply of a replay socket as a DEALER receives it: an empty frame, since vLLM 0.33 and
   * SGLang 0.5.23 the topic, then sequence and payload. What stands in the leading frames does not
   * matter.
   *
   * @throws WireFormatException unless there are three or four frames and the sequence has eight
   *     bytes
   */
  public static EngineMessage ofReplayed(List<byte[]> frames) {
    int count = frames.size();
    if (count != 3 && count != 4) {
      throw new WireFormatException(Reason.MALFORMED, "replayed frames " + count, 0);
    }
    return new EngineMessage(frames.get(count - 2), frames.get(count - 1));
  }

  /** Returns the engine's number of the batch, unsigned. */
  public long sequence() {
    return sequence;
  }

  /** Returns the batch, for an {@link EngineBatchReader}; not to be modified. */
  public byte[] payload() {
    return payload;
  }

  /** Returns whether a replay ends here: the payload is empty, whatever the sequence. */
  public boolean isEndOfReplay() {
    return payload.length == 0;
  }
}
