// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.wire;

import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.wire.WireFormatException.Reason;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Asks a source of this library which blocks it holds where a router's digests of what it believes
 * differ. A message of this library; peers give no answer to it.
 */
public final class ProofQuery {
  /** Distinguishes this query from those that peers know. */
  public static final String KIND = "dynamo4j_proof";

  private static final WireNames KEYS = WireNames.of("worker_id", "dp_rank", "kind", "digests");

  private final WorkerWithDpRank worker;
  private final long[] digests;

  private ProofQuery(WorkerWithDpRank worker, long[] digests) {
    this.worker = Objects.requireNonNull(worker, "worker");
    this.digests = digests;
  }

  /**
   * Asks about one rank.
   *
   * @param digests what the router believes, bucket by bucket; not copied
   */
  public static ProofQuery of(WorkerWithDpRank worker, long[] digests) {
    return new ProofQuery(worker, digests);
  }

  public WorkerWithDpRank worker() {
    return worker;
  }

  /** Returns the digests; not to be modified. */
  public long[] digests() {
    return digests;
  }

  public byte[] encode() {
    ByteBuffer packed = ByteBuffer.allocate(digests.length * Long.BYTES);
    packed.asLongBuffer().put(digests);
    MsgpackWriter out = MsgpackWriter.ofExpectedSize(96 + packed.capacity());
    out.map(4).string("worker_id").unsigned(worker.workerId());
    out.string("dp_rank").unsigned(Integer.toUnsignedLong(worker.dpRank()));
    out.string("kind").string(KIND);
    return out.string("digests").binary(packed.array()).toByteArray();
  }

  /**
   * Reads a query, or returns null if it is one of another kind.
   *
   * @throws WireFormatException if it is of this kind and lacks a field
   */
  public static @Nullable ProofQuery tryDecode(byte[] bytes) {
    MsgpackReader in = MsgpackReader.of(bytes);
    OptionalLong workerId = OptionalLong.empty();
    OptionalLong dpRank = OptionalLong.empty();
    boolean isProof = false;
    byte[] packed = null;
    int entries = in.readMapHeader();
    for (int i = 0; i < entries; i++) {
      switch (in.readName(KEYS)) {
        case "worker_id" -> workerId = OptionalLong.of(in.readBits64());
        case "dp_rank" -> dpRank = OptionalLong.of(in.readBits32());
        case "kind" -> {
          if (in.nextKind() != MsgpackReader.Kind.STRING || !in.readString().equals(KIND)) {
            return null;
          }
          isProof = true;
        }
        case "digests" -> packed = in.readBinary();
        default -> in.skip();
      }
    }
    if (!isProof) {
      return null;
    }
    if (workerId.isEmpty() || dpRank.isEmpty() || packed == null || packed.length % 8 != 0) {
      throw in.fault(Reason.MALFORMED, "proof query without a field");
    }
    long[] digests = new long[packed.length / Long.BYTES];
    ByteBuffer.wrap(packed).asLongBuffer().get(digests);
    return of(new WorkerWithDpRank(workerId.getAsLong(), (int) dpRank.getAsLong()), digests);
  }
}
