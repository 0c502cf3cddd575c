// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.wire;

import io.dynamo4j.core.model.KvCacheEvent;
import io.dynamo4j.core.model.KvCacheEventData;
import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.model.StorageTier;
import org.jspecify.annotations.Nullable;

/**
 * Reads events that stand in the very bytes in which {@link RouterEventCodec} and Dynamo write
 * them: the same fields in the same order, numbers in any unsigned form. Whatever is not so is left
 * to {@link RouterEventDecoder}, which reads every form and says what is wrong with one.
 *
 * <p>One pass that compares instead of looking names up. Nothing is allocated for a count before
 * the bytes at hand are enough for it. One instance a message.
 */
final class UsualEventForm extends FormCursor {
  private static final StorageTier[] TIERS = StorageTier.values();
  private static final byte[] WORKER = form().map(4).string("worker_id").toByteArray();
  private static final byte[][] HEADS = new byte[TIERS.length][];
  private static final byte[] STORED =
      data().map(1).string("stored").map(3).string("parent_hash").toByteArray();
  private static final byte[] BLOCKS =
      form().string("start_position").nil().string("blocks").toByteArray();
  private static final byte[] REMOVED =
      data().map(1).string("removed").map(1).string("block_hashes").toByteArray();
  private static final byte[] CLEARED = data().string("cleared").toByteArray();
  private static final byte[] RANK = form().string("dp_rank").toByteArray();

  // A block has three names, of which the first two are followed by a number.
  private static final byte[] HASH = form().map(3).string("block_hash").toByteArray();
  private static final byte[] CONTENT = form().string("tokens_hash").toByteArray();
  private static final byte[] MEDIA = form().string("mm_extra_info").nil().toByteArray();
  private static final int LONGEST_BLOCK =
      HASH.length + WIDE_NUMBER + CONTENT.length + WIDE_NUMBER + MEDIA.length;
  private static final int SHORTEST_BLOCK = LONGEST_BLOCK - 2 * Long.BYTES;

  static {
    for (int i = 0; i < TIERS.length; i++) {
      HEADS[i] =
          form()
              .string("storage_tier")
              .string(TIERS[i].wireName())
              .string("residency_domain")
              .string("worker")
              .string("event")
              .map(3)
              .string("event_id")
              .toByteArray();
    }
  }

  /** Reads between the first {@code end} bytes; {@code bytes} are not modified. */
  UsualEventForm(byte[] bytes, int end) {
    super(bytes, end);
  }

  private static MsgpackWriter data() {
    return form().string("data");
  }

  /** Returns the event that starts here, null if it is none or has another form. */
  @Nullable RouterEvent read(int start) {
    at = start;
    if (!pass(WORKER) || !passNumber()) {
      return null;
    }
    long workerId = number;
    int tier = passHead();
    if (tier < 0 || !passNumber()) {
      return null;
    }
    long eventId = number;
    KvCacheEventData data = readData();
    if (data == null || !pass(RANK) || !passNumber() || number >>> 32 != 0) {
      return null;
    }
    return RouterEvent.of(workerId, TIERS[tier], KvCacheEvent.of(eventId, (int) number, data));
  }

  /** Returns where the event ends that was read last. */
  int position() {
    return at;
  }

  private int passHead() {
    for (int i = 0; i < HEADS.length; i++) {
      if (pass(HEADS[i])) {
        return i;
      }
    }
    return -1;
  }

  private @Nullable KvCacheEventData readData() {
    if (pass(STORED)) {
      return readStored();
    }
    if (pass(REMOVED)) {
      return readRemoved();
    }
    return pass(CLEARED) ? KvCacheEventData.Cleared.instance() : null;
  }

  private @Nullable KvCacheEventData readRemoved() {
    int count = passCount(1);
    if (count < 0) {
      return null;
    }
    long[] hashes = new long[count];
    for (int i = 0; i < count; i++) {
      if (!passNumber()) {
        return null;
      }
      hashes[i] = number;
    }
    return KvCacheEventData.Removed.of(hashes);
  }

  private @Nullable KvCacheEventData readStored() {
    boolean isAtRoot = passNil();
    if (!isAtRoot && !passNumber()) {
      return null;
    }
    long parentHash = number;
    int count = pass(BLOCKS) ? passCount(SHORTEST_BLOCK) : -1;
    if (count < 0) {
      return null;
    }
    long[] hashes = new long[count];
    long[] contents = new long[count];
    if (!readBlocks(hashes, contents)) {
      return null;
    }
    return isAtRoot
        ? KvCacheEventData.Stored.atRoot(hashes, contents)
        : KvCacheEventData.Stored.under(parentHash, hashes, contents);
  }

  /** Reads blocks; one that is shorter than usual, at the very end, passes for another form. */
  private boolean readBlocks(long[] hashes, long[] contents) {
    for (int i = 0; i < hashes.length; i++) {
      if (end - at < LONGEST_BLOCK || !isHere(HASH)) {
        return false;
      }
      at += HASH.length;
      if (!passNumber() || !isHere(CONTENT)) {
        return false;
      }
      hashes[i] = number;
      at += CONTENT.length;
      if (!passNumber() || !isHere(MEDIA)) {
        return false;
      }
      contents[i] = number;
      at += MEDIA.length;
    }
    return true;
  }
}
