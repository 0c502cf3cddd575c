// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.wire;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Names that a decoder knows, found in a message without making a string of what is there. */
final class WireNames {
  /** Stands for every name that is not known; no known name is empty. */
  static final String OTHER = "";

  private final String[] names;
  private final byte[][] utf8;

  private WireNames(String[] names) {
    this.names = names;
    this.utf8 = new byte[names.length][];
    for (int i = 0; i < names.length; i++) {
      utf8[i] = names[i].getBytes(StandardCharsets.UTF_8);
    }
  }

  static WireNames of(String... names) {
    return new WireNames(names.clone());
  }

  /** Returns the name that stands in {@code bytes}, {@link #OTHER} if it is not known. */
  String find(byte[] bytes, int start, int length) {
    for (int i = 0; i < utf8.length; i++) {
      byte[] name = utf8[i];
      if (name.length == length && Arrays.equals(name, 0, length, bytes, start, start + length)) {
        return names[i];
      }
    }
    return OTHER;
  }
}
