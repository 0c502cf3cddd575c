// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.hash;

import java.nio.charset.StandardCharsets;

/**
 * The number under which engines know a LoRA adapter by name.
 *
 * <p>Engines want a number; hashes use the name itself, never this id.
 */
public final class LoraIds {

  private LoraIds() {}

  /**
   * Returns the id of an adapter, from 0 to 2^31 - 1.
   *
   * <p><b>Source.</b> The first eight bytes of BLAKE3 over the name in UTF-8, big-endian, lower 31
   * bits; as Dynamo 1.6.1.
   *
   * @param name any length, also empty
   */
  public static int of(String name) {
    byte[] hash = Blake3.hash(name.getBytes(StandardCharsets.UTF_8));
    int id = 0;
    for (int i = 4; i < 8; i++) {
      id = (id << 8) | (hash[i] & 0xff);
    }
    return id & 0x7FFFFFFF;
  }
}
