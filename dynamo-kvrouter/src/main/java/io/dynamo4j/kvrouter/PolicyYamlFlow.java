// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What stands within one line of a {@link PolicyYaml}: a scalar, a list, a map. */
final class PolicyYamlFlow {
  private static final Pattern INTEGER = Pattern.compile("[-+]?[0-9]+(_[0-9]+)*");
  private static final Pattern NUMBER =
      Pattern.compile("[-+]?([0-9]+(\\.[0-9]*)?|\\.[0-9]+)([eE][-+]?[0-9]+)?");
  private static final String RESERVED = "&*!|>%@`";

  private final String text;
  private final int line;
  private int at;

  private PolicyYamlFlow(String text, int line) {
    this.text = text;
    this.line = line;
  }

  /**
   * Reads a value that takes the whole text.
   *
   * @throws IllegalArgumentException if it is none
   */
  static @Nullable Object read(String text, int line) {
    PolicyYamlFlow flow = new PolicyYamlFlow(text.strip(), line);
    char first = flow.text.isEmpty() ? ' ' : flow.text.charAt(0);
    if (first != '[' && first != '{' && first != '"' && first != '\'') {
      return flow.plain(flow.text);
    }
    Object value = flow.value();
    flow.skipSpace();
    if (flow.at < flow.text.length()) {
      throw flow.fault("something follows a value");
    }
    return value;
  }

  private IllegalArgumentException fault(String what) {
    return new IllegalArgumentException("policy file cannot be read: line=" + line + ", " + what);
  }

  private void skipSpace() {
    while (at < text.length() && text.charAt(at) == ' ') {
      at++;
    }
  }

  private char next(String where) {
    skipSpace();
    if (at >= text.length()) {
      throw fault(where + " has no end");
    }
    return text.charAt(at);
  }

  private @Nullable Object value() {
    char c = next("value");
    return switch (c) {
      case '[' -> list();
      case '{' -> map();
      case '"', '\'' -> quoted(c);
      default -> plain(word());
    };
  }

  private List<@Nullable Object> list() {
    List<@Nullable Object> items = new ArrayList<>();
    at++;
    while (next("list") != ']') {
      items.add(value());
      separate("list", ']');
    }
    at++;
    return items;
  }

  private Map<String, @Nullable Object> map() {
    Map<String, @Nullable Object> map = new LinkedHashMap<>();
    at++;
    while (next("map") != '}') {
      String key = String.valueOf(value());
      if (next("map") != ':') {
        throw fault("a key has no value: key=" + key);
      }
      at++;
      if (map.containsKey(key)) {
        throw fault("key stands twice: key=" + key);
      }
      map.put(key, value());
      separate("map", '}');
    }
    at++;
    return map;
  }

  private void separate(String where, char end) {
    char c = next(where);
    if (c == ',') {
      at++;
    } else if (c != end) {
      throw fault(where + " has no comma");
    }
  }

  private String quoted(char quote) {
    StringBuilder content = new StringBuilder();
    for (at++; at < text.length(); at++) {
      char c = text.charAt(at);
      if (c == '\\' && quote == '"') {
        throw fault("escapes are not read");
      }
      if (c == quote) {
        at++;
        return content.toString();
      }
      content.append(c);
    }
    throw fault("text has no end");
  }

  private String word() {
    int from = at;
    while (at < text.length() && ",]}:".indexOf(text.charAt(at)) < 0) {
      at++;
    }
    return text.substring(from, at).strip();
  }

  private @Nullable Object plain(String word) {
    if (!word.isEmpty() && RESERVED.indexOf(word.charAt(0)) >= 0) {
      throw fault("anchors, tags and long texts are not read: text=" + word);
    }
    return switch (word) {
      case "", "~", "null", "Null", "NULL" -> null;
      case "true", "True", "TRUE" -> true;
      case "false", "False", "FALSE" -> false;
      default -> number(word);
    };
  }

  private Object number(String word) {
    if (INTEGER.matcher(word).matches()) {
      try {
        return Long.valueOf(word.replace("_", ""));
      } catch (NumberFormatException tooLong) {
        throw fault("number is too large: number=" + word);
      }
    }
    return NUMBER.matcher(word).matches() ? (Object) Double.valueOf(word) : word;
  }
}
