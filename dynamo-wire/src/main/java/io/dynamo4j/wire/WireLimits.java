// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.wire;

/** What a decoder accepts from a peer; anything beyond is refused before memory is taken for it. */
public final class WireLimits {
  /** Bytes of one frame or payload. */
  public static final int MAX_FRAME_BYTES = 64 << 20;

  /** Nesting of arrays and maps. */
  public static final int MAX_DEPTH = 16;

  /** Items of one array or map. */
  public static final int MAX_ITEMS = 1 << 20;

  /** Bytes of one string in UTF-8. */
  public static final int MAX_STRING_BYTES = 64 << 10;

  private WireLimits() {}
}
