// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.wire;

/** How the objects of a request and its answer are written; an instance's record decides. */
public enum PayloadFormat {
  MSGPACK("msgpack"),
  JSON("json");

  private final String wireName;

  PayloadFormat(String wireName) {
    this.wireName = wireName;
  }

  public String wireName() {
    return wireName;
  }

  /**
   * Returns the format of this name.
   *
   * @throws IllegalArgumentException if there is none
   */
  public static PayloadFormat of(String wireName) {
    for (PayloadFormat format : values()) {
      if (format.wireName.equals(wireName)) {
        return format;
      }
    }
    throw new IllegalArgumentException("payload format is not known: name=" + wireName);
  }

  /** Returns bytes of this format as MessagePack. */
  public byte[] toMsgpack(byte[] bytes) {
    return this == MSGPACK ? bytes : JsonValues.toMsgpack(bytes);
  }

  /** Returns MessagePack as bytes of this format. */
  public byte[] fromMsgpack(byte[] msgpack) {
    return this == MSGPACK ? msgpack : JsonValues.toJson(msgpack);
  }
}
