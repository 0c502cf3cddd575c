// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer.engine;

import java.util.Locale;

/** Why an event of an engine became no event of a router. */
public enum EngineEventReject {
  /** Neither a list that begins with a tag nor a map that has one. */
  NOT_AN_EVENT(true),
  /** A tag that no engine known here writes. */
  UNKNOWN_TAG(true),
  /** Block hashes, token ids or block size are absent. */
  MISSING_FIELD(true),
  /** A block or parent hash that is neither an integer nor bytes. */
  BAD_HASH(true),
  /** A token that is no unsigned 32-bit number, or numbers mixed with pairs. */
  BAD_TOKENS(true),
  /** Keys beside the tokens that are no list of lists of scalars and pairs. */
  BAD_EXTRA_KEYS(true),
  /** Hashes of media that are not of the known shape. */
  BAD_MEDIA(true),
  /** Another field of a type that it never has. */
  BAD_FIELD(true),
  /** A declared length is beyond what is accepted from a peer. */
  TOO_LARGE(true),
  /** Nested too deep. */
  TOO_DEEP(true),

  /** Known to say nothing about blocks. */
  IGNORED_EVENT(false),
  /** The blocks are not on this worker. */
  REMOTE_LOCALITY(false),
  /** A locality that is not known. */
  UNKNOWN_LOCALITY(true),
  /** The blocks belong to somebody else than the rank. */
  FOREIGN_OWNERSHIP(false),
  /** A medium that stands for no tier. */
  UNKNOWN_MEDIUM(true),
  /** A kind of attention whose blocks do not follow the prefix. */
  NON_MAIN_ATTENTION_KIND(false),
  /** A kind of attention that is not known. */
  UNKNOWN_KIND(true),
  /** A group of which earlier stores said that its blocks do not follow the prefix. */
  NON_MAIN_ATTENTION_GROUP(false),
  /** A group beyond the first of which nothing is known yet. */
  UNLEARNED_GROUP_IDX(false),
  /** Not of the largest attention window, whose blocks alone follow the prefix. */
  NON_MAIN_WINDOW(false),
  /** A rank that the worker does not declare. */
  UNDECLARED_RANK(true),

  /** Announces a block without its tokens. */
  PLACEHOLDER(false),
  /** Blocks of another size than the worker's. */
  BLOCK_SIZE_MISMATCH(true),
  /** A block with more tokens than the worker's blocks have. */
  OVERSIZED_BLOCK(true),
  /** No block, or none that is full. */
  NO_FULL_BLOCK(false),
  /** A store that names a block twice or its own parent. */
  SELF_REFERENCE(true),
  /** A child of a block that is known under two namespaces. */
  AMBIGUOUS_CACHE_NAMESPACE(true),
  /** An adapter by number only: its blocks would pass for those of the base model. */
  ADAPTER_WITHOUT_NAME(true),
  /** A key that makes blocks differ in an unknown way: they would pass for those without it. */
  UNSUPPORTED_EXTRA_KEY(true),
  /** More blocks than the worker may hold. */
  TOO_MANY_BLOCKS(true),
  /** A removal of blocks that the rank holds another copy of. */
  STILL_HELD(false);

  private final boolean loss;

  EngineEventReject(boolean loss) {
    this.loss = loss;
  }

  /** Returns the name for metrics and logs. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * Returns whether the index may lack something for it. Otherwise the event had nothing to say to
   * a router.
   */
  public boolean isLoss() {
    return loss;
  }
}
