// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.wire.JsonMaps;
import io.dynamo4j.wire.WireFormatException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Dynamo's settings of conditional disaggregation, of its map and of its variables. */
final class PrefillBypassFields {
  private static final String PREFIX = "conditional_disagg_";
  private static final String ENABLED = PREFIX + "enabled";
  private static final String POLICY = PREFIX + "policy";
  private static final String TOKENS = PREFIX + "eff_isl_threshold";
  private static final String SHARE = PREFIX + "eff_isl_ratio_threshold";
  private static final String PREFILL_BUSY = PREFIX + "prefill_busy_threshold";
  private static final String DECODE_BUSY = PREFIX + "decode_busy_threshold";
  private static final String QUEUE_THRESHOLD = "router_queue_threshold";
  private static final List<String> ALL =
      List.of(ENABLED, POLICY, TOKENS, SHARE, PREFILL_BUSY, DECODE_BUSY);

  private static final String FLAG = "DYN_ROUTER_CONDITIONAL_DISAGG";
  private static final String JSON = "DYN_ROUTER_CONDITIONAL_DISAGG_CONFIG";

  private PrefillBypassFields() {}

  static boolean contains(String field) {
    return ALL.contains(field);
  }

  /**
   * Reads the fields of a map, also where the mode is off.
   *
   * @throws IllegalArgumentException if one has the wrong type or range, or a policy looks at load
   *     and no threshold says when that is much
   */
  static PrefillBypass ofMap(Map<?, ?> fields) {
    Object enabled = fields.get(ENABLED);
    boolean isOn = enabled != null && KvRouterFields.flag(ENABLED, enabled);
    PrefillBypass.Builder builder = PrefillBypass.builder();
    PrefillBypass.Policy policy = policy(fields.get(POLICY));
    builder.policy(policy);
    Object tokens = fields.get(TOKENS);
    if (tokens != null) {
      builder.newTokensBelow(KvRouterFields.integer(TOKENS, tokens));
    }
    Object share = fields.get(SHARE);
    if (share != null) {
      builder.newShareBelow(KvRouterFields.number(SHARE, share));
    }
    Object decodeBusy = fields.get(DECODE_BUSY);
    if (decodeBusy != null) {
      builder.decodeBusyAbove(KvRouterFields.number(DECODE_BUSY, decodeBusy));
    }
    Object prefillBusy = fields.get(PREFILL_BUSY);
    Object busy = prefillBusy == null ? fields.get(QUEUE_THRESHOLD) : prefillBusy;
    if (busy != null) {
      builder.prefillBusyAbove(KvRouterFields.number(PREFILL_BUSY, busy));
    } else if (isOn && policy != PrefillBypass.Policy.ISL_BOUNDING) {
      throw new IllegalArgumentException(
          POLICY
              + " needs "
              + PREFILL_BUSY
              + " or "
              + QUEUE_THRESHOLD
              + ": "
              + POLICY
              + "="
              + name(policy));
    }
    return isOn ? builder.build() : PrefillBypass.never();
  }

  private static PrefillBypass.Policy policy(@Nullable Object value) {
    if (value == null) {
      return PrefillBypass.Policy.ISL_BOUNDING;
    }
    for (PrefillBypass.Policy policy : PrefillBypass.Policy.values()) {
      if (name(policy).equals(value)) {
        return policy;
      }
    }
    throw new IllegalArgumentException(
        POLICY + " must be isl_bounding, prefill_load or isl_or_load: " + POLICY + "=" + value);
  }

  private static String name(PrefillBypass.Policy policy) {
    return policy.name().toLowerCase(Locale.ROOT);
  }

  /**
   * Reads the variables: a flag, and JSON that goes with it.
   *
   * @throws IllegalArgumentException as {@link #ofMap} does, and if the JSON is none, has a field
   *     that is not known, or the flag is not set
   */
  static PrefillBypass ofEnvironment(Map<String, String> environment) {
    boolean isOn = Boolean.TRUE.equals(KvRouterEnvironment.parseFlag(environment.get(FLAG)));
    String json = environment.getOrDefault(JSON, "").strip();
    if (!json.isEmpty() && !isOn) {
      throw new IllegalArgumentException(
          JSON + " requires " + FLAG + "=true: " + JSON + "=" + json);
    }
    Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    KvRouterEnvironment.number(
        environment, "DYN_ROUTER_QUEUE_THRESHOLD", value -> fields.put(QUEUE_THRESHOLD, value));
    if (!json.isEmpty()) {
      read(json)
          .forEach(
              (name, value) -> {
                if (name.equals("enabled") || !ALL.contains(PREFIX + name)) {
                  throw new IllegalArgumentException(JSON + " has an unknown field: field=" + name);
                }
                fields.put(PREFIX + name, value);
              });
    }
    fields.put(ENABLED, isOn);
    return ofMap(fields);
  }

  private static Map<String, @Nullable Object> read(String json) {
    Map<String, @Nullable Object> fields;
    try {
      fields = JsonMaps.read(json.getBytes(StandardCharsets.UTF_8));
    } catch (WireFormatException e) {
      throw new IllegalArgumentException(JSON + " is no JSON: " + JSON + "=" + json, e);
    }
    if (fields == null) {
      throw new IllegalArgumentException(
          JSON + " must be an object of plain fields: " + JSON + "=" + json);
    }
    return fields;
  }
}
