// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.wire;

import io.dynamo4j.core.hash.XxHash3;
import io.dynamo4j.wire.EngineEvent.SaltSource;
import io.dynamo4j.wire.MsgpackReader.Kind;
import io.dynamo4j.wire.WireFormatException.Reason;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * What beside its tokens makes a block of vLLM another one: for each block a list of keys, in the
 * order adapter, media, salt.
 *
 * <p>The name or number of the adapter is known from its own field. A pair of text and number is a
 * medium and where it begins. Of bare texts, a digest of 64 hexadecimal digits is a medium; a
 * marked one is a salt; so is the last other one of a block that begins a sequence, as only such a
 * block is salted; anything else is a medium.
 */
final class EngineExtraKeys {
  private static final byte[] SALT_PREFIX =
      "dynamo-cache-salt:".getBytes(StandardCharsets.US_ASCII);

  private static final int DIGEST_DIGITS = 64;
  private static final int COUNTED_DIGITS = 16;

  private final EngineEvent event;
  private boolean takesMedia;
  private byte[] loraName = {};
  private int bareStart;
  private int bareLength;

  EngineExtraKeys(EngineEvent event) {
    this.event = event;
  }

  /** Reads the keys of an event whose other fields are known. */
  void parse(MsgpackReader in) {
    if (in.tryNil()) {
      return;
    }
    String name = event.loraName;
    loraName = name == null ? new byte[0] : name.getBytes(StandardCharsets.UTF_8);
    takesMedia = event.mediaBlocks == 0;
    int blocks = in.readArrayHeader();
    if (takesMedia) {
      event.startMedia(blocks);
    }
    for (int block = 0; block < blocks; block++) {
      readBlock(in, block);
    }
  }

  private void readBlock(MsgpackReader in, int block) {
    if (takesMedia) {
      event.startMediaBlock();
    }
    bareLength = 0;
    int items = in.tryNil() ? 0 : in.readArrayHeader();
    for (int i = 0; i < items; i++) {
      readItem(in, block);
    }
    if (bareLength > 0) {
      takeBareKey(in.bytes());
    }
    if (takesMedia) {
      event.endMediaBlock();
    }
  }

  /** The last unmarked key is the salt unless that is known from elsewhere. */
  private void takeBareKey(byte[] bytes) {
    String key = new String(bytes, bareStart, bareLength, StandardCharsets.UTF_8);
    if (event.saltSource == SaltSource.NONE) {
      event.salt = key;
      event.saltSource = SaltSource.BARE;
    } else if (!key.equals(event.salt)) {
      addMedium(bytes, bareStart, bareLength);
    }
  }

  private void readItem(MsgpackReader in, int block) {
    switch (in.nextKind()) {
      case STRING -> readText(in, block);
      case ARRAY -> readPair(in);
      case INTEGER -> event.unsupportedKey |= in.readBits64() != event.loraId || !event.hasLoraId;
      case BINARY, FLOAT, BOOLEAN -> {
        in.skip();
        event.unsupportedKey = true;
      }
      default -> throw in.fault(Reason.MALFORMED, "extra key");
    }
  }

  private void readPair(MsgpackReader in) {
    if (in.readArrayHeader() != 2) {
      throw in.fault(Reason.MALFORMED, "pair");
    }
    if (in.nextKind() == Kind.STRING) {
      int length = in.passString();
      addMedium(in.bytes(), in.position() - length, length);
    } else {
      in.readBits64();
      event.unsupportedKey = true;
    }
    in.readBits64();
  }

  private void readText(MsgpackReader in, int block) {
    int length = in.passString();
    int start = in.position() - length;
    byte[] bytes = in.bytes();
    if (length == 0 || matches(loraName, bytes, start, length)) {
      return;
    }
    if (length >= SALT_PREFIX.length && matches(SALT_PREFIX, bytes, start, SALT_PREFIX.length)) {
      readMarkedSalt(bytes, start + SALT_PREFIX.length, length - SALT_PREFIX.length, block);
    } else if (isDigest(bytes, start, length) || block > 0 || event.hasParent) {
      addMedium(bytes, start, length);
    } else {
      if (bareLength > 0) {
        addMedium(bytes, bareStart, bareLength);
      }
      bareStart = start;
      bareLength = length;
    }
  }

  private void readMarkedSalt(byte[] bytes, int start, int length, int block) {
    if (block == 0 && length > 0 && event.saltSource != SaltSource.DECLARED) {
      event.salt = new String(bytes, start, length, StandardCharsets.UTF_8);
      event.saltSource = SaltSource.DECLARED;
    }
  }

  private void addMedium(byte[] bytes, int start, int length) {
    if (takesMedia && length > 0) {
      event.addMedium(mediumHash(bytes, start, length));
    }
  }

  /** The hash by which routers know a medium. */
  static long mediumHash(byte[] bytes, int start, int length) {
    if (!isDigest(bytes, start, length)) {
      return XxHash3.hash(bytes, start, length, 0);
    }
    long hash = 0;
    for (int i = 0; i < COUNTED_DIGITS; i++) {
      hash = hash << 4 | Character.digit(bytes[start + i], 16);
    }
    return hash;
  }

  private static boolean isDigest(byte[] bytes, int start, int length) {
    if (length != DIGEST_DIGITS) {
      return false;
    }
    for (int i = 0; i < length; i++) {
      if (Character.digit(bytes[start + i], 16) < 0) {
        return false;
      }
    }
    return true;
  }

  private static boolean matches(byte[] name, byte[] bytes, int start, int length) {
    return name.length == length && Arrays.equals(name, 0, length, bytes, start, start + length);
  }
}
