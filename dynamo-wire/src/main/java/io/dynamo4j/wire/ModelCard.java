// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.wire;

import io.dynamo4j.plane.WorkerInstance;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A model card: what routing needs of it by name, all of it as it was written.
 *
 * @param name the model's name as clients give it, empty if the card has none
 * @param kvBlockSize tokens a KV block, or {@code (int)} {@link WorkerInstance#UNKNOWN}
 * @param totalKvBlocks KV blocks a rank, or {@link WorkerInstance#UNKNOWN}
 * @param maxBatchedTokens the token budget of one engine step, or {@link WorkerInstance#UNKNOWN}
 * @param dpStart the first data-parallel rank
 * @param dpSize the number of ranks, at least 1
 * @param incarnation which life of the worker this is, 0 if the card does not tell
 * @param fields the whole card, unmodifiable
 */
public record ModelCard(
    String name,
    int kvBlockSize,
    long totalKvBlocks,
    long maxBatchedTokens,
    int dpStart,
    int dpSize,
    long incarnation,
    Map<String, Object> fields) {
  private static final String RUNTIME = "runtime_config";
  private static final String RUNTIME_DATA = "runtime_data";
  private static final String INCARNATION = "dynamo4j_incarnation";
  private static final int MAX_RANKS = 4_096;

  public ModelCard {
    fields = Collections.unmodifiableMap(new LinkedHashMap<>(fields));
  }

  /**
   * Reads what is known out of a card's fields; what is of another type, or no possible figure,
   * counts as absent.
   */
  static ModelCard of(Map<String, Object> fields) {
    Map<?, ?> runtime = map(fields.get(RUNTIME));
    long size = number(runtime.get("data_parallel_size"), 1);
    long start = number(runtime.get("data_parallel_start_rank"), 0);
    return new ModelCard(
        fields.get("display_name") instanceof String name ? name : "",
        (int) count(fields.get("kv_cache_block_size"), Integer.MAX_VALUE),
        count(runtime.get("total_kv_blocks"), Long.MAX_VALUE),
        count(runtime.get("max_num_batched_tokens"), Long.MAX_VALUE),
        (int) Math.max(0, Math.min(Integer.MAX_VALUE - MAX_RANKS, start)),
        (int) Math.max(1, Math.min(MAX_RANKS, size)),
        number(map(runtime.get(RUNTIME_DATA)).get(INCARNATION), 0),
        fields);
  }

  private static Map<?, ?> map(@Nullable Object value) {
    return value instanceof Map<?, ?> map ? map : Collections.emptyMap();
  }

  private static long count(@Nullable Object value, long most) {
    long number = number(value, WorkerInstance.UNKNOWN);
    return number > 0 && number <= most ? number : WorkerInstance.UNKNOWN;
  }

  private static long number(@Nullable Object value, long otherwise) {
    return value instanceof Number number ? number.longValue() : otherwise;
  }

  /**
   * Returns a card with what an instance declares; of the model itself it says what {@code model}
   * does: names, files and their checksums.
   */
  public static ModelCard of(WorkerInstance instance, Map<String, Object> model) {
    Map<String, Object> runtime = new LinkedHashMap<>();
    put(runtime, "total_kv_blocks", instance.totalKvBlocks());
    put(runtime, "max_num_batched_tokens", instance.maxBatchedTokens());
    runtime.put("data_parallel_start_rank", (long) instance.dpStart());
    runtime.put("data_parallel_size", (long) instance.dpSize());
    runtime.put("enable_local_indexer", true);
    runtime.put("kv_event_publishing_enabled", true);
    Map<String, Object> data = new LinkedHashMap<>();
    if (instance.incarnation() != 0) {
      data.put(INCARNATION, instance.incarnation());
    }
    runtime.put(RUNTIME_DATA, data);
    runtime.put("enable_eagle", false);
    Map<String, Object> fields = new LinkedHashMap<>(model);
    put(fields, "kv_cache_block_size", instance.kvBlockSize());
    fields.put(RUNTIME, runtime);
    return of(fields);
  }

  private static void put(Map<String, Object> fields, String key, long value) {
    if (value != WorkerInstance.UNKNOWN) {
      fields.put(key, value);
    }
  }
}
