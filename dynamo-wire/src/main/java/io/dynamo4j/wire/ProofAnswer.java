// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.wire;

import io.dynamo4j.wire.WireFormatException.Reason;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a source holds in the buckets in which it and a router differ.
 *
 * <p>A block is four numbers: its hash, whether there is one before it (1 or 0), that one's hash,
 * and its content's hash. A block that hangs behind a gap has 2 for "before it": it is held and
 * cannot be placed.
 */
public final class ProofAnswer {
  /** Numbers that describe one block. */
  public static final int NUMBERS_A_BLOCK = 4;

  private static final WireNames KEYS = WireNames.of("last_event_id", "differing", "blocks");

  private final long lastEventId;
  private final long differing;
  private final long[] blocks;

  private ProofAnswer(long lastEventId, long differing, long[] blocks) {
    this.lastEventId = lastEventId;
    this.differing = differing;
    this.blocks = Objects.requireNonNull(blocks, "blocks");
  }

  /**
   * Describes the buckets that differ.
   *
   * @param lastEventId the newest number when this was true, unsigned
   * @param differing a bit for each bucket
   * @param blocks all blocks of these buckets, {@link #NUMBERS_A_BLOCK} numbers each; not copied
   */
  public static ProofAnswer of(long lastEventId, long differing, long[] blocks) {
    return new ProofAnswer(lastEventId, differing, blocks);
  }

  public long lastEventId() {
    return lastEventId;
  }

  public long differing() {
    return differing;
  }

  /** Returns the blocks; not to be modified. */
  public long[] blocks() {
    return blocks;
  }

  public byte[] encode() {
    ByteBuffer packed = ByteBuffer.allocate(blocks.length * Long.BYTES);
    packed.asLongBuffer().put(blocks);
    MsgpackWriter out = MsgpackWriter.ofExpectedSize(64 + packed.capacity());
    out.map(3).string("last_event_id").unsigned(lastEventId);
    out.string("differing").unsigned(differing);
    return out.string("blocks").binary(packed.array()).toByteArray();
  }

  /**
   * Reads an answer.
   *
   * @throws WireFormatException if it is no map, lacks a field or holds parts of a block
   */
  public static ProofAnswer decode(byte[] bytes) {
    MsgpackReader in = MsgpackReader.of(bytes);
    long lastEventId = 0;
    long differing = 0;
    int numbers = 0;
    byte @Nullable [] packed = null;
    int entries = in.readMapHeader();
    for (int i = 0; i < entries; i++) {
      switch (in.readName(KEYS)) {
        case "last_event_id" -> {
          lastEventId = in.readBits64();
          numbers |= 1;
        }
        case "differing" -> {
          differing = in.readBits64();
          numbers |= 2;
        }
        case "blocks" -> packed = in.readBinary();
        default -> in.skip();
      }
    }
    if (numbers != 3 || packed == null || packed.length % (NUMBERS_A_BLOCK * Long.BYTES) != 0) {
      throw in.fault(Reason.MALFORMED, "proof without a field");
    }
    long[] blocks = new long[packed.length / Long.BYTES];
    ByteBuffer.wrap(packed).asLongBuffer().get(blocks);
    return of(lastEventId, differing, blocks);
  }
}
