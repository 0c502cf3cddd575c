// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import java.util.Collections;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Dynamo's router settings that this library does not honour: each is accepted as long as it asks
 * for nothing, and refused by name otherwise, so that none is ever ignored in silence.
 */
final class UnsupportedFields {
  /** What asks for nothing, by field, besides null. */
  private static final Map<String, Field> FIELDS = fields();

  private UnsupportedFields() {}

  private record Field(String variable, Set<String> harmless) {}

  private static Map<String, Field> fields() {
    Map<String, Field> fields = new TreeMap<>();
    fields.put(
        "router_tracking_hash", new Field("DYN_ROUTER_TRACKING_HASH", only("public-xxh3-v1")));
    fields.put("router_tracking_key_file", new Field("DYN_ROUTER_TRACKING_KEY_FILE", only("")));
    fields.put("router_tracking_key_id", new Field("DYN_ROUTER_TRACKING_KEY_ID", only("")));
    fields.put(
        "enable_session_prefix_index", new Field("DYN_ENABLE_SESSION_PREFIX_INDEX", only("false")));
    fields.put("shared_cache_type", new Field("DYN_SHARED_CACHE_TYPE", only("none")));
    // Variables name these too; QueueConfig reads them.
    fields.put("router_prefill_policy", new Field("", only("default")));
    fields.put("router_decode_policy", new Field("", only("default")));
    return fields;
  }

  private static Set<String> only(String value) {
    return Collections.singleton(value);
  }

  static boolean contains(String field) {
    return FIELDS.containsKey(field);
  }

  /**
   * Checks a field of a map.
   *
   * @throws IllegalArgumentException if it asks for something
   */
  static void check(String name, @Nullable Object value) {
    Field field = Objects.requireNonNull(FIELDS.get(name), name);
    String text = value == null ? "" : String.valueOf(value).strip();
    if (name.equals("router_tracking_hash") && text.equals("keyed-xxh3-v1")) {
      throw new IllegalArgumentException(
          "keyed-xxh3-v1 is not supported by this library: router_tracking_hash=" + text);
    }
    if (!text.isEmpty() && !field.harmless().contains(text) && field.variable().isEmpty()) {
      throw new IllegalArgumentException(
          name
              + " is no setting of the map, name the policy by variable or file: "
              + name
              + "="
              + text);
    }
    if (!text.isEmpty() && !field.harmless().contains(text)) {
      throw new IllegalArgumentException(
          name + " is not supported by this library: " + name + "=" + text);
    }
  }

  /**
   * Checks the variables of all fields.
   *
   * @throws IllegalArgumentException if one asks for something
   */
  static void check(Map<String, String> environment) {
    FIELDS.forEach(
        (name, field) -> {
          String text = environment.get(field.variable());
          if (text != null) {
            Boolean flag = KvRouterEnvironment.parseFlag(text);
            boolean isOff = Boolean.FALSE.equals(flag) && field.harmless().contains("false");
            if (!isOff) {
              check(name, text.toLowerCase(Locale.ROOT));
            }
          }
        });
  }
}
