// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Fields of one mapping of a policy file; what nobody asks for is a fault. */
final class PolicyFields {
  private final String path;
  private final Map<String, @Nullable Object> rest = new LinkedHashMap<>();

  private PolicyFields(String path) {
    this.path = path;
  }

  static PolicyFields of(String path, Map<?, ?> content) {
    PolicyFields fields = new PolicyFields(path);
    content.forEach((name, value) -> fields.rest.put(String.valueOf(name), value));
    return fields;
  }

  List<String> names() {
    return List.copyOf(rest.keySet());
  }

  private String at(String name) {
    return path.isEmpty() ? name : path + "." + name;
  }

  private IllegalArgumentException wrong(String name, String expected, Object value) {
    return new IllegalArgumentException(
        "policy file has a wrong value: field="
            + at(name)
            + ", expected="
            + expected
            + ", value="
            + value);
  }

  /** Takes a mapping out, an empty one if it is absent. */
  PolicyFields map(String name) {
    Object value = rest.remove(name);
    if (value == null) {
      return new PolicyFields(at(name));
    }
    if (value instanceof Map<?, ?> map) {
      return of(at(name), map);
    }
    throw wrong(name, "mapping", value);
  }

  /** Takes a list of mappings out, an empty one if it is absent. */
  List<PolicyFields> list(String name) {
    Object value = rest.remove(name);
    List<PolicyFields> items = new ArrayList<>();
    if (value == null) {
      return items;
    }
    if (!(value instanceof List<?> list)) {
      throw wrong(name, "list", value);
    }
    for (Object item : list) {
      if (!(item instanceof Map<?, ?> map)) {
        throw wrong(name, "list of mappings", value);
      }
      items.add(of(at(name) + "[" + items.size() + "]", map));
    }
    return items;
  }

  void text(String name, Consumer<String> setter) {
    Object value = rest.remove(name);
    if (value instanceof String text) {
      setter.accept(text);
    } else if (value != null) {
      throw wrong(name, "text", value);
    }
  }

  String requiredText(String name) {
    Object value = rest.remove(name);
    if (value instanceof String text && !text.isEmpty()) {
      return text;
    }
    throw wrong(name, "text", String.valueOf(value));
  }

  void integer(String name, Consumer<Long> setter) {
    Object value = rest.remove(name);
    if (value instanceof Number number && number.doubleValue() == number.longValue()) {
      setter.accept(number.longValue());
    } else if (value != null) {
      throw wrong(name, "integer", value);
    }
  }

  void number(String name, Consumer<Double> setter) {
    Object value = rest.remove(name);
    if (value instanceof Number number) {
      setter.accept(number.doubleValue());
    } else if (value != null) {
      throw wrong(name, "number", value);
    }
  }

  /** Takes everything that is left out. */
  Map<String, @Nullable Object> all() {
    Map<String, @Nullable Object> all = new LinkedHashMap<>(rest);
    rest.clear();
    return all;
  }

  /**
   * Ends the mapping.
   *
   * @throws IllegalArgumentException if it has a field that nobody took
   */
  void requireNothingElse() {
    for (String name : rest.keySet()) {
      throw new IllegalArgumentException("policy file has an unknown field: field=" + at(name));
    }
  }
}
