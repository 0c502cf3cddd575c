// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.wire;

import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.wire.WireFormatException.Reason;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a router tells a served index that learns from decisions, on endpoint {@code
 * kv_indexer_record_routing_decision}: where it has sent a prompt. Hashes only. The answer is
 * {@link #recorded} or a text that says why not.
 *
 * <p>Arrays are not copied.
 */
public final class IndexDecision {
  /** Name of the endpoint. */
  public static final String ENDPOINT = "kv_indexer_record_routing_decision";

  private static final String RECORDED = "Recorded";
  private static final WireNames KEYS =
      WireNames.of(
          "model_name", "worker", "local_hashes", "sequence_hashes", "worker_id", "dp_rank");
  private static final WireNames KINDS = WireNames.of("Error");

  private final String modelName;
  private final WorkerWithDpRank worker;
  private final long[] localHashes;
  private final long[] sequenceHashes;

  private IndexDecision(
      String modelName, WorkerWithDpRank worker, long[] localHashes, long[] sequenceHashes) {
    this.modelName = Objects.requireNonNull(modelName, "modelName");
    this.worker = Objects.requireNonNull(worker, "worker");
    this.localHashes = localHashes;
    this.sequenceHashes = sequenceHashes;
  }

  /**
   * Returns a message.
   *
   * @throws IllegalArgumentException if the hashes differ in number
   */
  public static IndexDecision of(
      String modelName, WorkerWithDpRank worker, long[] localHashes, long[] sequenceHashes) {
    if (localHashes.length != sequenceHashes.length) {
      throw new IllegalArgumentException(
          "local and sequence hashes differ in number: localHashes="
              + localHashes.length
              + ", sequenceHashes="
              + sequenceHashes.length);
    }
    return new IndexDecision(modelName, worker, localHashes, sequenceHashes);
  }

  /* --------------- The message --------------- */

  public byte[] encode() {
    int hashes = localHashes.length + sequenceHashes.length;
    MsgpackWriter out =
        MsgpackWriter.ofExpectedSize(128 + 4 * modelName.length() + 9 * hashes).map(4);
    out.string("model_name").string(modelName);
    out.string("worker").map(2).string("worker_id").unsigned(worker.workerId());
    out.string("dp_rank").unsigned(Integer.toUnsignedLong(worker.dpRank()));
    write(localHashes, out.string("local_hashes"));
    write(sequenceHashes, out.string("sequence_hashes"));
    return out.toByteArray();
  }

  private static void write(long[] hashes, MsgpackWriter out) {
    out.array(hashes.length);
    for (long hash : hashes) {
      out.unsigned(hash);
    }
  }

  /**
   * Reads a message.
   *
   * @throws WireFormatException if it is no map, lacks model, worker or hashes, or has not as many
   *     of the one kind of hashes as of the other
   */
  public static IndexDecision decode(byte[] bytes) {
    MsgpackReader in = MsgpackReader.of(bytes);
    String modelName = null;
    WorkerWithDpRank worker = null;
    long[] local = null;
    long[] sequence = null;
    int entries = in.readMapHeader();
    for (int i = 0; i < entries; i++) {
      switch (in.readName(KEYS)) {
        case "model_name" -> modelName = in.readString();
        case "worker" -> worker = readWorker(in);
        case "local_hashes" -> local = readHashes(in);
        case "sequence_hashes" -> sequence = readHashes(in);
        default -> in.skip();
      }
    }
    if (modelName == null || worker == null || local == null || sequence == null) {
      throw in.fault(Reason.MALFORMED, "decision without model, worker or hashes");
    }
    if (local.length != sequence.length) {
      throw in.fault(Reason.MALFORMED, "hashes of a decision");
    }
    if (in.hasRemaining()) {
      throw in.fault(Reason.TRAILING_BYTES, "decision");
    }
    return new IndexDecision(modelName, worker, local, sequence);
  }

  private static WorkerWithDpRank readWorker(MsgpackReader in) {
    long workerId = 0;
    int dpRank = 0;
    boolean isNamed = false;
    int entries = in.readMapHeader();
    for (int i = 0; i < entries; i++) {
      switch (in.readName(KEYS)) {
        case "worker_id" -> {
          workerId = in.readBits64();
          isNamed = true;
        }
        case "dp_rank" -> dpRank = in.readBits32();
        default -> in.skip();
      }
    }
    if (!isNamed) {
      throw in.fault(Reason.MALFORMED, "worker of a decision");
    }
    return new WorkerWithDpRank(workerId, dpRank);
  }

  private static long[] readHashes(MsgpackReader in) {
    long[] hashes = new long[in.readArrayHeader()];
    for (int i = 0; i < hashes.length; i++) {
      hashes[i] = in.readBits64();
    }
    return hashes;
  }

  public String modelName() {
    return modelName;
  }

  public WorkerWithDpRank worker() {
    return worker;
  }

  /** Returns local hashes; not to be modified. */
  public long[] localHashes() {
    return localHashes;
  }

  /** Returns sequence hashes; not to be modified. */
  public long[] sequenceHashes() {
    return sequenceHashes;
  }

  /* --------------- The answer --------------- */

  /** Returns the answer that a decision was recorded. */
  public static byte[] recorded() {
    return MsgpackWriter.ofExpectedSize(16).string(RECORDED).toByteArray();
  }

  /** Returns the answer that it was not. */
  public static byte[] refused(String why) {
    return IndexAnswer.ofError(why).encode();
  }

  /**
   * Reads an answer.
   *
   * @return why the decision was not recorded, null if it was
   * @throws WireFormatException if it is of no known kind, truncated or has bytes left over
   */
  public static @Nullable String readAnswer(byte[] bytes) {
    MsgpackReader in = MsgpackReader.of(bytes);
    String error = null;
    if (in.nextKind() == MsgpackReader.Kind.STRING) {
      if (!in.readString().equals(RECORDED)) {
        throw in.fault(Reason.MALFORMED, "answer to a decision");
      }
    } else {
      if (in.readMapHeader() != 1 || !in.readName(KINDS).equals("Error")) {
        throw in.fault(Reason.MALFORMED, "answer to a decision");
      }
      error = in.readString();
    }
    if (in.hasRemaining()) {
      throw in.fault(Reason.TRAILING_BYTES, "answer to a decision");
    }
    return error;
  }
}
