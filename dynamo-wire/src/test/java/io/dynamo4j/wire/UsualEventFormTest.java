// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.model.KvCacheEvent;
import io.dynamo4j.core.model.KvCacheEventData;
import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.model.StorageTier;
import io.dynamo4j.core.runtime.RandomSource;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/** The reader of the usual form against the one of every form. */
class UsualEventFormTest {
  private static final List<StorageTier> TIERS = List.of(StorageTier.values());

  @Property(tries = 2_000)
  void shouldReadWhateverIsWrittenAsTheReaderOfEveryFormDoes(@ForAll long seed) {
    RouterEvent event = randomEvent(RandomSource.seeded(seed), /* shifts= */ 0);
    byte[] bytes = eventBytes(event);
    UsualEventForm usual = new UsualEventForm(bytes, bytes.length);

    RouterEvent read = Objects.requireNonNull(usual.read(0), () -> "seed=" + seed);

    assertThat(usual.position()).isEqualTo(bytes.length);
    assertThat(eventBytes(read)).isEqualTo(bytes);
  }

  @Property(tries = 1_000)
  void shouldReadNumbersOfEveryWidthOrLeaveThemToTheOther(@ForAll long seed) {
    RandomSource random = RandomSource.seeded(seed);
    byte[] bytes = eventBytes(randomEvent(random, /* shifts= */ 64));
    assertAgreement(bytes, bytes.length, seed);
  }

  @Property(tries = 5_000)
  void shouldAgreeOnDamagedEvents(@ForAll long seed) {
    RandomSource random = RandomSource.seeded(seed);
    byte[] bytes = eventBytes(randomEvent(random, /* shifts= */ 64));
    for (int flips = 1 + random.nextInt(3); flips > 0; flips--) {
      bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
    }
    assertAgreement(bytes, bytes.length, seed);
  }

  @Property(tries = 200)
  void shouldReadNothingFromAPart(@ForAll long seed) {
    byte[] bytes = eventBytes(randomEvent(RandomSource.seeded(seed), /* shifts= */ 64));
    for (int end = 0; end < bytes.length; end++) {
      // The bytes behind the end are there, as in a slice: they must not be read.
      assertThat(new UsualEventForm(bytes, end).read(0)).as("end=%d", end).isNull();
      byte[] part = Arrays.copyOf(bytes, end);
      assertThat(new UsualEventForm(part, end).read(0)).as("end=%d", end).isNull();
    }
  }

  @Test
  void shouldTakeNoMemoryForBlocksThatAreNotThere() {
    RouterEvent event = stored(new long[] {-1});
    byte[] bytes = eventBytes(event);
    int count = indexOf(bytes, "blocks") + "blocks".length();
    byte[] forged = new byte[bytes.length + 2];
    System.arraycopy(bytes, 0, forged, 0, count);
    forged[count] = (byte) 0xdc;
    forged[count + 1] = (byte) 0xff;
    forged[count + 2] = (byte) 0xff;
    System.arraycopy(bytes, count + 1, forged, count + 3, bytes.length - count - 1);

    assertThat(new UsualEventForm(forged, forged.length).read(0)).isNull();
  }

  /** If the fast reader reads an event, the other reads the same one over as many bytes. */
  private static void assertAgreement(byte[] bytes, int end, long seed) {
    UsualEventForm usual = new UsualEventForm(bytes, end);
    RouterEvent read = usual.read(0);
    if (read == null) {
      return;
    }
    MsgpackReader in = MsgpackReader.of(bytes);
    in.skip();
    assertThat(usual.position()).as("seed=%d", seed).isEqualTo(in.position());
    Object other = RouterEventDecoder.decode(in.slice(0, in.position()));
    assertThat(other).as("seed=%d", seed).isInstanceOf(RouterEvent.class);
    assertThat(eventBytes(read)).as("seed=%d", seed).isEqualTo(eventBytes((RouterEvent) other));
  }

  private static RouterEvent randomEvent(RandomSource random, int shifts) {
    int blocks = random.nextInt(4) == 0 ? random.nextInt(70) : random.nextInt(4);
    long[] hashes = new long[blocks];
    long[] contents = new long[blocks];
    for (int i = 0; i < blocks; i++) {
      hashes[i] = number(random, shifts);
      contents[i] = number(random, shifts);
    }
    KvCacheEventData data =
        switch (random.nextInt(4)) {
          case 0 -> KvCacheEventData.Cleared.instance();
          case 1 -> KvCacheEventData.Removed.of(hashes);
          case 2 -> KvCacheEventData.Stored.atRoot(hashes, contents);
          default -> KvCacheEventData.Stored.under(random.nextLong(), hashes, contents);
        };
    StorageTier tier = TIERS.get(random.nextInt(TIERS.size()));
    int rank = (int) random.nextLong() >>> random.nextInt(32);
    return RouterEvent.of(
        random.nextLong() >>> random.nextInt(64),
        tier,
        KvCacheEvent.of(random.nextLong() >>> random.nextInt(64), rank, data));
  }

  /** Returns a number that takes nine bytes if no shift is allowed. */
  private static long number(RandomSource random, int shifts) {
    return shifts == 0
        ? random.nextLong() | Long.MIN_VALUE
        : random.nextLong() >>> random.nextInt(shifts);
  }

  private static RouterEvent stored(long[] hashes) {
    KvCacheEventData data = KvCacheEventData.Stored.atRoot(hashes, hashes.clone());
    return RouterEvent.of(7, StorageTier.DEVICE, KvCacheEvent.of(1, 0, data));
  }

  private static byte[] eventBytes(RouterEvent event) {
    byte[] list = RouterEventCodec.encode(List.of(event));
    return Arrays.copyOfRange(list, 1, list.length);
  }

  private static int indexOf(byte[] bytes, String name) {
    return new String(bytes, StandardCharsets.ISO_8859_1).indexOf(name);
  }
}
