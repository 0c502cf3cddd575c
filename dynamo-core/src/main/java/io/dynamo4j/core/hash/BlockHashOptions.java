// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.hash;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** What, beside its tokens, makes two blocks different: block size, LoRA, namespace, EAGLE. */
public final class BlockHashOptions {
  private static final long LORA_SEED = 0;
  private static final long NAMESPACE_SEED = 1;

  private final int blockSize;
  private final String loraName;
  private final String cacheNamespace;
  private final boolean eagle;
  private final long seed;

  private BlockHashOptions(Builder builder) {
    this.blockSize = builder.blockSize;
    this.loraName = builder.loraName;
    this.cacheNamespace = builder.cacheNamespace;
    this.eagle = builder.eagle;
    this.seed =
        SequenceHasher.CHAIN_SEED
            + seedOf(loraName, LORA_SEED)
            + seedOf(cacheNamespace, NAMESPACE_SEED);
  }

  /**
   * Starts with the base model: no LoRA, no namespace, plain windows.
   *
   * @param blockSize tokens per block
   * @throws IllegalArgumentException if {@code blockSize} is not positive
   */
  public static Builder builder(int blockSize) {
    return new Builder(blockSize);
  }

  /** Returns the options of the base model with blocks of {@code blockSize} tokens. */
  public static BlockHashOptions of(int blockSize) {
    return builder(blockSize).build();
  }

  public int blockSize() {
    return blockSize;
  }

  /** Returns tokens per hashed window: one more than a block with EAGLE, which overlap by one. */
  public long windowSize() {
    return eagle ? blockSize + 1L : blockSize;
  }

  /** Returns the adapter's name, empty for none. */
  public String loraName() {
    return loraName;
  }

  /** Returns the namespace that shares nothing with others, empty for none. */
  public String cacheNamespace() {
    return cacheNamespace;
  }

  public boolean eagle() {
    return eagle;
  }

  /** Returns the seed of local block hashes, an unsigned 64-bit pattern. */
  public long seed() {
    return seed;
  }

  private static long seedOf(String name, long innerSeed) {
    if (name.isEmpty()) {
      return 0;
    }
    byte[] utf8 = name.getBytes(StandardCharsets.UTF_8);
    return XxHash3.hash(utf8, 0, utf8.length, innerSeed);
  }

  @Override
  public String toString() {
    return "BlockHashOptions[blockSize="
        + blockSize
        + ", eagle="
        + eagle
        + ", seed="
        + Long.toUnsignedString(seed)
        + "]";
  }

  /** Builds {@link BlockHashOptions}. */
  public static final class Builder {
    private final int blockSize;
    private String loraName = "";
    private String cacheNamespace = "";
    private boolean eagle;

    private Builder(int blockSize) {
      if (blockSize <= 0) {
        throw new IllegalArgumentException("block size must be positive: blockSize=" + blockSize);
      }
      this.blockSize = blockSize;
    }

    /** Sets the adapter; default none. Null and empty mean the base model. */
    public Builder loraName(@Nullable String name) {
      this.loraName = name == null ? "" : name;
      return this;
    }

    /** Sets the namespace, also called cache salt; default none. Null and empty mean none. */
    public Builder cacheNamespace(@Nullable String namespace) {
      this.cacheNamespace = namespace == null ? "" : namespace;
      return this;
    }

    /** Makes each window reach one token into the next block; default false. */
    public Builder eagle(boolean eagle) {
      this.eagle = eagle;
      return this;
    }

    public BlockHashOptions build() {
      return new BlockHashOptions(this);
    }
  }
}
