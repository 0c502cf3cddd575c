// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.wire;

import io.dynamo4j.wire.EngineEvent.Kind;

/**
 * Reads batches of blocks on devices that stand in the very bytes in which {@link
 * EngineBatchWriter} and vLLM from 0.24 on write them: stores without an adapter, with the eight
 * fields that every store has, and removals. Any other batch is left, as a whole, to the reader of
 * every form.
 *
 * <p>A batch is walked twice, since its rank stands at its end: to see that it is usual, and event
 * by event. Token ids are read once.
 */
final class UsualEngineForm extends FormCursor {
  private static final String DEVICE = "GPU";
  private static final byte[] BATCH = {(byte) 0x93, (byte) 0xcb};
  private static final byte[] STORED = entries(8, "BlockStored");
  private static final byte[] STORED_WIDE = wideEntries(8, "BlockStored");
  private static final byte[] REMOVED = entries(3, "BlockRemoved");
  private static final byte[] REMOVED_WIDE = wideEntries(3, "BlockRemoved");
  private static final byte[] PARENT = form().string("parent_block_hash").toByteArray();
  private static final byte[] TOKENS = form().string("token_ids").toByteArray();
  private static final byte[] BLOCK_SIZE = form().string("block_size").toByteArray();
  private static final byte[] MEDIUM = form().string("medium").string(DEVICE).toByteArray();
  private static final byte[] STORED_END =
      form()
          .string("lora_id")
          .nil()
          .string("medium")
          .string(DEVICE)
          .string("lora_name")
          .nil()
          .toByteArray();

  private final EngineEvent event;
  private final NotedIntegers tokens;
  private int firstEvent;

  /**
   * @param event receives what is read
   * @param tokens keeps token ids from the first walk to the second
   */
  UsualEngineForm(EngineEvent event, NotedIntegers tokens) {
    super(new byte[0], 0);
    this.event = event;
    this.tokens = tokens;
  }

  private static byte[] entries(int entries, String type) {
    return type(form().map(entries), type);
  }

  /** Some versions write the length of a map in two bytes, however short it is. */
  private static byte[] wideEntries(int entries, String type) {
    byte[] narrow = entries(entries, type);
    byte[] wide = new byte[narrow.length + 2];
    System.arraycopy(narrow, 0, wide, 2, narrow.length);
    wide[0] = (byte) 0xde;
    wide[1] = 0;
    wide[2] = (byte) entries;
    return wide;
  }

  private static byte[] type(MsgpackWriter map, String type) {
    return map.string("type").string(type).string("block_hashes").toByteArray();
  }

  /* --------------- The first walk --------------- */

  /**
   * Walks over a batch and returns how many events it has, negative if it is not usual; if it is,
   * {@link #number} is its rank, negative if it has none, and {@link #read} reads the events.
   */
  int open(byte[] payload) {
    bytes = payload;
    end = payload.length;
    at = 0;
    tokens.clear();
    if (!pass(BATCH) || end - at < Double.BYTES) {
      return -1;
    }
    at += Double.BYTES;
    int events = passCount(1);
    firstEvent = at;
    for (int i = 0; i < events; i++) {
      if (!passEvent()) {
        return -1;
      }
    }
    return events >= 0 && passRank() && at == end ? rewound(events) : -1;
  }

  private boolean passRank() {
    if (passNil()) {
      number = -1;
      return true;
    }
    return passNumber() && number >>> 32 == 0;
  }

  private int rewound(int events) {
    at = firstEvent;
    return events;
  }

  private boolean passEvent() {
    boolean isStore = pass(STORED) || pass(STORED_WIDE);
    if (!isStore && !pass(REMOVED) && !pass(REMOVED_WIDE)) {
      return false;
    }
    return passHashes() && (isStore ? passStore() : pass(MEDIUM));
  }

  private boolean passHashes() {
    int count = passCount(1);
    boolean isUsual = count >= 0;
    for (int i = 0; i < count && isUsual; i++) {
      isUsual = passNumber();
    }
    return isUsual;
  }

  private boolean passStore() {
    return pass(PARENT)
        && (passNil() || passNumber())
        && pass(TOKENS)
        && passTokens()
        && pass(BLOCK_SIZE)
        && passNumber()
        && number >= 0
        && number <= Integer.MAX_VALUE
        && pass(STORED_END);
  }

  private boolean passTokens() {
    int count = passCount(1);
    if (count < 0) {
      return false;
    }
    if (!tokens.wants(count)) {
      event.reserveTokens(count);
      return passNumbers32(event.tokens, 0, count);
    }
    int start = at;
    int[] noted = tokens.reserve(count);
    boolean isUsual = passNumbers32(noted, tokens.used(), count);
    if (isUsual) {
      tokens.add(start, at, count);
    }
    return isUsual;
  }

  /* --------------- The second walk --------------- */

  /** Reads the next event of a batch that is usual. */
  void read() {
    event.reset();
    event.medium = DEVICE;
    if (pass(STORED) || pass(STORED_WIDE)) {
      event.kind = Kind.STORED;
      readHashes();
      readStore();
    } else {
      at += bytes[at] == REMOVED[0] ? REMOVED.length : REMOVED_WIDE.length;
      event.kind = Kind.REMOVED;
      readHashes();
      at += MEDIUM.length;
    }
  }

  private void readHashes() {
    int count = passCount(1);
    event.reserveHashes(count);
    long[] hashes = event.hashes;
    for (int i = 0; i < count; i++) {
      boolean isRead = passNumber();
      hashes[i] = isRead ? number : 0;
    }
    event.hashCount = count;
    event.hasHashes = true;
  }

  private void readStore() {
    at += PARENT.length;
    event.hasParent = !passNil() && passNumber();
    event.parentHash = event.hasParent ? number : 0;
    at += TOKENS.length;
    readTokens();
    at += BLOCK_SIZE.length;
    event.hasBlockSize = passNumber();
    event.blockSize = (int) number;
    at += STORED_END.length;
  }

  private void readTokens() {
    int count = passCount(1);
    event.reserveTokens(count);
    event.hasTokens = true;
    event.tokenCount = count;
    int behind = tokens.copy(at, event.tokens, count);
    if (behind < 0) {
      event.hasTokens = passNumbers32(event.tokens, 0, count);
    } else {
      at = behind;
    }
  }
}
