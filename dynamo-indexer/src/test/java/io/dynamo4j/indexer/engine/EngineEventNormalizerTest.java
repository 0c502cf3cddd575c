// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer.engine;

import static io.dynamo4j.indexer.engine.EngineBatches.batch;
import static io.dynamo4j.indexer.engine.EngineBatches.batchOfRank;
import static io.dynamo4j.indexer.engine.EngineBatches.cleared;
import static io.dynamo4j.indexer.engine.EngineBatches.list;
import static io.dynamo4j.indexer.engine.EngineBatches.map;
import static io.dynamo4j.indexer.engine.EngineBatches.nil;
import static io.dynamo4j.indexer.engine.EngineBatches.removed;
import static io.dynamo4j.indexer.engine.EngineBatches.stored;
import static io.dynamo4j.indexer.engine.EngineBatches.with;
import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.hash.BlockHashOptions;
import io.dynamo4j.core.hash.BlockHasher;
import io.dynamo4j.core.model.KvCacheEventData;
import io.dynamo4j.core.model.KvCacheEventData.Removed;
import io.dynamo4j.core.model.KvCacheEventData.Stored;
import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.model.StorageTier;
import io.dynamo4j.core.runtime.RandomSource;
import io.dynamo4j.core.token.TokenSlice;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.msgpack.value.Value;

class EngineEventNormalizerTest {
  private static final int BLOCK = 2;

  private final EngineEventNormalizer normalizer =
      EngineEventNormalizer.builder(7, BLOCK).random(RandomSource.seeded(1)).build();

  private List<RouterEvent> normalize(Value... events) {
    return normalizer.normalize(batch(events));
  }

  private KvCacheEventData one(Value... events) {
    List<RouterEvent> out = normalize(events);
    assertThat(out).hasSize(1);
    return out.get(0).event().data();
  }

  private long rejected(EngineEventReject reason) {
    return normalizer.status().rejected(reason);
  }

  private static long[] hashes(BlockHashOptions.Builder options, long... blocks) {
    int[] tokens = new int[blocks.length * BLOCK];
    for (int i = 0; i < tokens.length; i++) {
      tokens[i] = (int) (10 * blocks[i / BLOCK] + i % BLOCK);
    }
    return BlockHasher.of(options.build()).hash(TokenSlice.wrap(tokens));
  }

  private static BlockHashOptions.Builder plain() {
    return BlockHashOptions.builder(BLOCK);
  }

  /* --------------- Blocks --------------- */

  @Test
  void shouldHashTokensAndKeepTheEnginesHashes() {
    Value event = with(stored(nil(), 1, 2), "block_hashes", new long[] {1, -1});
    Stored stored = (Stored) one(event);

    assertThat(stored.hasParent()).isFalse();
    assertThat(stored.blockHashes()).containsExactly(1, -1);
    assertThat(stored.tokensHashes()).containsExactly(hashes(plain(), 1, 2));
  }

  @Test
  void shouldJoinWhatContinuesAndNumberWithoutHoles() {
    List<RouterEvent> first = normalize(stored(nil(), 1), stored(1, 2), removed(2), removed(1));
    List<RouterEvent> second = normalize(stored(nil(), 3), cleared(), stored(nil(), 3));

    assertThat(first).extracting(event -> event.event().eventId()).containsExactly(1L, 2L);
    assertThat(((Stored) first.get(0).event().data()).blockHashes()).containsExactly(1, 2);
    assertThat(((Removed) first.get(1).event().data()).blockHashes()).containsExactly(2, 1);
    assertThat(second).extracting(event -> event.event().eventId()).containsExactly(3L, 4L, 5L);
    assertThat(normalizer.lastEventId()).isEqualTo(5);
  }

  @Test
  void shouldNotJoinAStoreThatNamesAWaitingBlockAgain() {
    assertThat(normalize(stored(nil(), 1, 2), stored(2, 1))).hasSize(2);
  }

  @Test
  void shouldKeepFullBlocksBeforeTokensEnd() {
    Value cut = with(stored(nil(), 1, 2), "token_ids", new long[] {10, 11, 20});

    assertThat(((Stored) one(cut)).tokensHashes()).containsExactly(hashes(plain(), 1));
    assertThat(normalizer.status().partialBlocks()).isEqualTo(1);
  }

  @Test
  void shouldReadPairsAsWindowsThatReachIntoTheNextBlock() {
    Value pairs =
        with(stored(nil(), 1), "token_ids", list(new long[] {10, 11}, new long[] {11, 12}));

    int[] window = {10, 11, 12};
    assertThat(((Stored) one(pairs)).tokensHashes())
        .containsExactly(BlockHasher.of(plain().eagle(true).build()).hash(TokenSlice.wrap(window)));
  }

  @Test
  void shouldTakeParentZeroForNoneUnlessItIsHeld() {
    assertThat(((Stored) one(stored(0, 1))).hasParent()).isFalse();
    one(stored(nil(), 0));
    assertThat(((Stored) one(stored(0, 2))).hasParent()).isTrue();
  }

  /* --------------- W2: an event costs itself, every refusal is counted --------------- */

  @Test
  void w2ShouldKeepTheGoodEventsOfABatchWithABadOne() {
    Value bad = with(stored(nil(), 2), "block_hashes", list("text"));

    List<RouterEvent> out = normalize(stored(nil(), 1), bad, list("NoSuchTag"), stored(nil(), 3));

    assertThat(out).hasSize(2);
    assertThat(rejected(EngineEventReject.BAD_HASH)).isEqualTo(1);
    assertThat(rejected(EngineEventReject.UNKNOWN_TAG)).isEqualTo(1);
    assertThat(normalizer.status().health()).isEqualTo(EngineEventStatus.Health.LOSSY);
  }

  @ParameterizedTest
  @CsvSource({
    "locality, REMOTE, REMOTE_LOCALITY",
    "locality, local, UNKNOWN_LOCALITY",
    "locality, '', UNKNOWN_LOCALITY",
    "ownership, '', FOREIGN_OWNERSHIP",
    "medium, gpu, UNKNOWN_MEDIUM",
    "kv_cache_spec_kind, mamba, NON_MAIN_ATTENTION_KIND",
    "kv_cache_spec_kind, '', UNKNOWN_KIND",
    "kv_cache_spec_kind, new_attention, UNKNOWN_KIND"
  })
  void w2ShouldCountWhatIsFiltered(String field, String text, EngineEventReject reason) {
    assertThat(normalize(with(stored(nil(), 1), field, text))).isEmpty();
    assertThat(normalize(with(removed(1), field, text))).isEmpty();
    assertThat(rejected(reason)).isEqualTo(2);
    assertThat(normalizer.status().rejected()).isEqualTo(2);
  }

  @Test
  void w2ShouldCountEveryBlockSizeThatDoesNotFit() {
    Value other = with(stored(nil(), 1), "block_size", 4);
    Value placeholder = with(stored(nil(), 1), "block_size", 0, "token_ids", new long[0]);

    assertThat(normalize(other, other, placeholder)).isEmpty();
    assertThat(rejected(EngineEventReject.BLOCK_SIZE_MISMATCH)).isEqualTo(2);
    assertThat(rejected(EngineEventReject.PLACEHOLDER)).isEqualTo(1);
    assertThat(normalizer.status().health()).isEqualTo(EngineEventStatus.Health.UNUSABLE);
  }

  @Test
  void w2ShouldCountStoresThatNameABlockTwice() {
    assertThat(normalize(stored(nil(), 1, 1), stored(2, 2), stored(nil()))).isEmpty();
    assertThat(rejected(EngineEventReject.SELF_REFERENCE)).isEqualTo(2);
    assertThat(rejected(EngineEventReject.NO_FULL_BLOCK)).isEqualTo(1);
  }

  @Test
  void w2ShouldCountMessagesThatAreNoBatch() {
    assertThat(normalizer.normalize(new byte[] {1})).isEmpty();
    assertThat(normalizer.status().unreadableMessages()).isEqualTo(1);
    assertThat(normalizer.status().health()).isEqualTo(EngineEventStatus.Health.UNUSABLE);
  }

  /* --------------- W2: what the engine tells apart stays apart --------------- */

  @Test
  void w2ShouldNamespaceSaltsWhereverTheyStand() {
    Value declared = with(stored(nil(), 1), "cache_salt", "t");
    Value nested = with(stored(nil(), 1), "metadata", map("cache_salt", "t"));
    Value marked = with(stored(nil(), 1), "extra_keys", list(list("dynamo-cache-salt:t")));
    Value bare = with(stored(nil(), 1), "extra_keys", list(list("t")));

    for (Value each : List.of(declared, nested, marked, bare)) {
      assertThat(((Stored) one(each)).tokensHashes())
          .containsExactly(hashes(plain().cacheNamespace("t"), 1));
    }
    assertThat(normalizer.status().undeclaredSalts()).isEqualTo(2);
  }

  @Test
  void w2ShouldNeverGiveTwoTenantsOneHash() {
    List<Long> contents = new ArrayList<>();
    for (String tenant : List.of("a", "b")) {
      Value salted = with(stored(nil(), 1), "extra_keys", list(list(tenant)));
      contents.add(((Stored) one(salted)).tokensHashes()[0]);
    }
    contents.add(((Stored) one(stored(nil(), 1))).tokensHashes()[0]);
    assertThat(contents).doesNotHaveDuplicates();
  }

  @Test
  void w2ShouldHashMediaInKeys() {
    String digest = "00000000000000ff".repeat(4);
    Value image = with(stored(nil(), 1), "extra_keys", list(list(list(digest, 0))));
    int[] tokens = {10, 11};
    long[] expected = new long[1];
    BlockHasher.of(plain().build()).hash(TokenSlice.wrap(tokens), new long[][] {{0xff}}, expected);

    assertThat(((Stored) one(image)).tokensHashes()).isEqualTo(expected);
  }

  @Test
  void w2ShouldRefuseKeysItCannotTellApart() {
    for (Object key : List.of(5, list(1, 2), map())) {
      normalize(with(stored(nil(), 1), "extra_keys", list(list(key))));
    }
    assertThat(rejected(EngineEventReject.UNSUPPORTED_EXTRA_KEY)).isEqualTo(2);
    assertThat(rejected(EngineEventReject.BAD_EXTRA_KEYS)).isEqualTo(1);
  }

  @Test
  void w2ShouldRefuseAnAdapterWithoutANameUnlessItIsGivenOne() {
    Value numbered = with(stored(nil(), 1), "lora_id", 7);
    assertThat(normalize(numbered)).isEmpty();
    assertThat(rejected(EngineEventReject.ADAPTER_WITHOUT_NAME)).isEqualTo(1);

    List<RouterEvent> named =
        EngineEventNormalizer.builder(7, BLOCK).adapter(7, "a").build().normalize(batch(numbered));
    assertThat(((Stored) named.get(0).event().data()).tokensHashes())
        .containsExactly(hashes(plain().loraName("a"), 1));
  }

  @Test
  void shouldGiveAChildTheNamespaceOfItsParentAcrossMessages() {
    one(with(stored(nil(), 1), "cache_salt", "t"));
    assertThat(((Stored) one(stored(1, 2))).tokensHashes())
        .containsExactly(hashes(plain().cacheNamespace("t"), 2));
    one(removed(2, 1));
    assertThat(((Stored) one(stored(1, 2))).tokensHashes()).containsExactly(hashes(plain(), 2));
  }

  @Test
  void shouldRefuseAChildOfABlockThatIsKnownUnderTwoNamespaces() {
    normalize(with(stored(nil(), 1), "cache_salt", "a"), with(stored(nil(), 1), "cache_salt", "b"));
    assertThat(normalize(stored(1, 2))).isEmpty();
    assertThat(rejected(EngineEventReject.AMBIGUOUS_CACHE_NAMESPACE)).isEqualTo(1);
    assertThat(normalize(with(stored(1, 2), "cache_salt", "a"))).hasSize(1);
  }

  /* --------------- Copies --------------- */

  @Test
  void shouldPassARemovalOnWhenTheLastCopyGoes() {
    normalize(stored(nil(), 1, 2), stored(1, 2));
    assertThat(normalize(removed(2))).isEmpty();
    assertThat(rejected(EngineEventReject.STILL_HELD)).isEqualTo(1);
    assertThat(((Removed) one(removed(2))).blockHashes()).containsExactly(2);
  }

  @Test
  void shouldForgetCopiesWhenTheRankIsCleared() {
    normalize(stored(nil(), 1), stored(nil(), 1), cleared(), stored(nil(), 1));
    assertThat(normalize(removed(1))).hasSize(1);
  }

  @Test
  void shouldCountCopiesOfEachTierAndRankApart() {
    Value onHost = with(stored(nil(), 1), "medium", "CPU");
    normalize(stored(nil(), 1), onHost);
    normalizer.normalize(batchOfRank(1, stored(nil(), 1)));

    List<RouterEvent> out = normalize(with(removed(1), "medium", "CPU_TIER1"), removed(1));
    assertThat(out)
        .extracting(RouterEvent::tier)
        .containsExactly(StorageTier.HOST_PINNED, StorageTier.DEVICE);
    assertThat(normalizer.normalize(batchOfRank(1, removed(1)))).hasSize(1);
  }

  @Test
  void shouldPassRemovalsOfUnknownBlocksOn() {
    assertThat(((Removed) one(removed(9))).blockHashes()).containsExactly(9);
  }

  /* --------------- Groups, windows, ranks --------------- */

  @Test
  void shouldLearnTheKindOfAGroupFromStores() {
    Value first = with(stored(nil(), 1), "group_idx", 1);
    assertThat(normalize(first)).isEmpty();
    assertThat(rejected(EngineEventReject.UNLEARNED_GROUP_IDX)).isEqualTo(1);

    normalize(with(first, "kv_cache_spec_kind", "full_attention"));
    assertThat(normalize(with(removed(1), "group_idx", 1))).hasSize(1);

    normalize(with(first, "kv_cache_spec_kind", "sliding_window"));
    assertThat(normalize(with(removed(1), "group_idx", 1))).isEmpty();
    assertThat(rejected(EngineEventReject.NON_MAIN_ATTENTION_GROUP)).isEqualTo(1);
  }

  private static Value dictionary(int window, Value data) {
    return map("event_id", 1, "window_size", window, "data", data);
  }

  private static Value block(long hash, long... tokens) {
    return map("block_hash", hash, "tokens", tokens);
  }

  @Test
  void shouldKeepTheLargestWindowOfDictionaries() {
    Value data = map("type", "stored", "parent_hash", nil(), "blocks", list(block(1, 10, 11)));
    normalize(
        dictionary(8, map("type", "created")),
        dictionary(64, map("type", "created")),
        dictionary(8, data));
    assertThat(rejected(EngineEventReject.NON_MAIN_WINDOW)).isEqualTo(1);
    assertThat(((Stored) one(dictionary(64, data))).tokensHashes())
        .containsExactly(hashes(plain(), 1));
  }

  @Test
  void shouldStopADictionaryAtAPartialBlockAndForgetItsRemoval() {
    Value partial =
        dictionary(
            1, map("type", "stored", "blocks", list(block(1, 10, 11), block(2, 20), block(3))));
    Value gone = dictionary(1, map("type", "removed", "block_hashes", new long[] {1, 2, 3}));

    assertThat(((Stored) one(partial)).blockHashes()).containsExactly(1);
    assertThat(((Removed) one(gone)).blockHashes()).containsExactly(1);
  }

  @Test
  void shouldRefuseADictionaryWithAnOversizedBlock() {
    Value data = map("type", "stored", "blocks", list(block(1, 10, 11), block(2, 1, 2, 3)));
    assertThat(normalize(dictionary(1, data))).isEmpty();
    assertThat(rejected(EngineEventReject.OVERSIZED_BLOCK)).isEqualTo(1);
  }

  @Test
  void shouldTakeTheRankOfTheBatchBeforeTheConfiguredOne() {
    EngineEventNormalizer ofRank3 =
        EngineEventNormalizer.builder(7, BLOCK).dpRank(3).ranks(2, 4).build();

    assertThat(ofRank3.normalize(batch(stored(nil(), 1))).get(0).worker().dpRank()).isEqualTo(3);
    assertThat(ofRank3.normalize(batchOfRank(5, stored(nil(), 1))).get(0).worker().dpRank())
        .isEqualTo(5);
    assertThat(ofRank3.normalize(batchOfRank(6, stored(nil(), 1)))).isEmpty();
    assertThat(ofRank3.status().rejected(EngineEventReject.UNDECLARED_RANK)).isEqualTo(1);
  }

  @Test
  void shouldTakeNoticeOfAnyRankUnlessSomeAreDeclared() {
    assertThat(normalizer.normalize(batchOfRank(-1, stored(nil(), 1))).get(0).worker().dpRank())
        .isEqualTo(-1);
  }

  @Test
  void shouldRefuseMoreBlocksThanAllowed() {
    EngineEventNormalizer small = EngineEventNormalizer.builder(7, BLOCK).maxBlocks(3).build();
    assertThat(small.normalize(batch(stored(nil(), 1, 2), stored(2, 3, 4)))).hasSize(1);
    assertThat(small.status().rejected(EngineEventReject.TOO_MANY_BLOCKS)).isEqualTo(1);
  }

  @Test
  void shouldForgetEverythingButNumbersOnReset() {
    normalize(stored(nil(), 1), stored(nil(), 1));
    normalizer.reset();
    assertThat(normalize(removed(1)).get(0).event().eventId()).isEqualTo(3);
  }

  @ParameterizedTest
  @EnumSource
  void shouldNameEveryReasonForMetrics(EngineEventReject reason) {
    assertThat(reason.label()).matches("[a-z_]+");
    assertThat(normalizer.status().rejected(reason)).isZero();
  }
}
