// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.wire.JsonMaps;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The bodies of {@link BusyThresholdHandler}. */
final class BusyThresholdJson {
  private static final String DECODE_BLOCKS = "active_decode_blocks_threshold";
  private static final String PREFILL_TOKENS = "active_prefill_tokens_threshold";
  private static final String PREFILL_FRACTION = "active_prefill_tokens_threshold_frac";

  private final String model;
  private final Map<String, @Nullable Object> fields;

  private BusyThresholdJson(String model, Map<String, @Nullable Object> fields) {
    this.model = model;
    this.fields = fields;
  }

  /** JSON, but not of this request. */
  static final class WrongShapeException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    WrongShapeException(String text) {
      super(text);
    }
  }

  /**
   * Reads a request.
   *
   * @throws WrongShapeException if it is JSON of another shape
   * @throws io.dynamo4j.wire.WireFormatException if it is no JSON
   */
  static BusyThresholdJson parse(byte[] body) {
    Map<String, @Nullable Object> fields = JsonMaps.read(body);
    if (fields == null) {
      throw new WrongShapeException("body must be an object of plain fields");
    }
    if (!(fields.get("model") instanceof String model)) {
      throw new WrongShapeException("model must be a string");
    }
    return new BusyThresholdJson(model, fields);
  }

  String model() {
    return model;
  }

  /** Returns whether any threshold is named. */
  boolean sets() {
    return fields.containsKey(DECODE_BLOCKS)
        || fields.containsKey(PREFILL_TOKENS)
        || fields.containsKey(PREFILL_FRACTION);
  }

  /**
   * Returns the thresholds with those named replaced.
   *
   * @throws WrongShapeException if one is no number
   * @throws IllegalArgumentException if one is out of range
   */
  LoadThresholds applyTo(LoadThresholds before) {
    LoadThresholds.Builder builder = before.toBuilder();
    number(DECODE_BLOCKS, builder::activeDecodeBlocks);
    number(PREFILL_FRACTION, builder::activePrefillTokensFraction);
    if (fields.containsKey(PREFILL_TOKENS)) {
      builder.activePrefillTokens(tokens(fields.get(PREFILL_TOKENS)));
    }
    return builder.build();
  }

  private void number(String name, Consumer<@Nullable Double> setter) {
    if (!fields.containsKey(name)) {
      return;
    }
    Object value = fields.get(name);
    if (value == null) {
      setter.accept(null);
    } else if (value instanceof Number number) {
      setter.accept(number.doubleValue());
    } else {
      throw new WrongShapeException(name + " must be a number");
    }
  }

  private static @Nullable Long tokens(@Nullable Object value) {
    if (value == null || value instanceof Long) {
      return (Long) value;
    }
    throw new WrongShapeException(PREFILL_TOKENS + " must be an integer");
  }

  static String describe(String model, LoadThresholds thresholds) {
    Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    fields.put("model", model);
    fields.put(DECODE_BLOCKS, thresholds.activeDecodeBlocks());
    fields.put(PREFILL_TOKENS, thresholds.activePrefillTokens());
    fields.put(PREFILL_FRACTION, thresholds.activePrefillTokensFraction());
    return JsonMaps.write(fields);
  }

  static String error(String text) {
    return JsonMaps.write(Collections.singletonMap("error", text));
  }
}
