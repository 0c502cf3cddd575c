// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.wire;

import io.dynamo4j.wire.WireFormatException.Reason;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a router asks a served index, on endpoint {@code kv_indexer_query}: who holds how much of
 * these blocks. Hashes only; no token leaves the router.
 *
 * <p>The array is not copied.
 */
public final class IndexQuery {
  /** Name of the endpoint. */
  public static final String ENDPOINT = "kv_indexer_query";

  private static final WireNames KEYS = WireNames.of("model_name", "block_hashes", "device_only");

  private final String modelName;
  private final long[] blockHashes;
  private final boolean deviceOnly;

  private IndexQuery(String modelName, long[] blockHashes, boolean deviceOnly) {
    this.modelName = Objects.requireNonNull(modelName, "modelName");
    this.blockHashes = Objects.requireNonNull(blockHashes, "blockHashes");
    this.deviceOnly = deviceOnly;
  }

  /**
   * Returns a query.
   *
   * @param blockHashes local hash of each block of the prompt
   * @param deviceOnly whether tiers below the device do not matter
   */
  public static IndexQuery of(String modelName, long[] blockHashes, boolean deviceOnly) {
    return new IndexQuery(modelName, blockHashes, deviceOnly);
  }

  public byte[] encode() {
    MsgpackWriter out =
        MsgpackWriter.ofExpectedSize(64 + 4 * modelName.length() + 9 * blockHashes.length);
    out.map(3).string("model_name").string(modelName);
    out.string("block_hashes").array(blockHashes.length);
    for (long hash : blockHashes) {
      out.unsigned(hash);
    }
    return out.string("device_only").bool(deviceOnly).toByteArray();
  }

  /**
   * Reads a query.
   *
   * @throws WireFormatException if it is no map, or lacks model or hashes
   */
  public static IndexQuery decode(byte[] bytes) {
    MsgpackReader in = MsgpackReader.of(bytes);
    String modelName = null;
    long[] blockHashes = null;
    boolean deviceOnly = false;
    int entries = in.readMapHeader();
    for (int i = 0; i < entries; i++) {
      switch (in.readName(KEYS)) {
        case "model_name" -> modelName = in.readString();
        case "block_hashes" -> blockHashes = readHashes(in);
        case "device_only" -> deviceOnly = in.readBoolean();
        default -> in.skip();
      }
    }
    return checked(modelName, blockHashes, deviceOnly, in);
  }

  private static IndexQuery checked(
      @Nullable String modelName,
      long @Nullable [] blockHashes,
      boolean deviceOnly,
      MsgpackReader in) {
    if (modelName == null || blockHashes == null) {
      throw in.fault(Reason.MALFORMED, "index query without model or hashes");
    }
    if (in.hasRemaining()) {
      throw in.fault(Reason.TRAILING_BYTES, "index query");
    }
    return new IndexQuery(modelName, blockHashes, deviceOnly);
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

  /** Returns local hashes; not to be modified. */
  public long[] blockHashes() {
    return blockHashes;
  }

  public boolean deviceOnly() {
    return deviceOnly;
  }
}
