// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.wire;

/** Why one event of a readable engine batch cannot be read; the others of the batch can. */
public enum EngineFault {
  /** Neither a list that begins with a tag nor a map that has one. */
  NOT_AN_EVENT,
  /** A tag that no engine known here writes. */
  UNKNOWN_TAG,
  /** Block hashes, token ids or block size are absent. */
  MISSING_FIELD,
  /** A block or parent hash that is neither an integer nor bytes. */
  BAD_HASH,
  /** A token that is no unsigned 32-bit number, or numbers mixed with pairs. */
  BAD_TOKENS,
  /** Keys beside the tokens that are no list of lists of scalars and pairs. */
  BAD_EXTRA_KEYS,
  /** Hashes of media that are not of the known shape. */
  BAD_MEDIA,
  /** Another field of a type that it never has. */
  BAD_FIELD,
  /** A declared length is beyond {@link WireLimits}. */
  TOO_LARGE,
  /** Nested so deep that the batch is beyond {@link WireLimits#MAX_DEPTH}. */
  TOO_DEEP
}
