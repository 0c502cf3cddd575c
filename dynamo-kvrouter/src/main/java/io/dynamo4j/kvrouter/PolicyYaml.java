// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The part of YAML that policy files are written in: block mappings and sequences of plain and
 * quoted scalars, and sequences and mappings within a line. Anchors, tags, several documents and
 * scalars over several lines are refused with their line's number.
 */
final class PolicyYaml {

  private record Line(int number, int indent, String text) {}

  private final List<Line> lines = new ArrayList<>();
  private int at;

  private PolicyYaml(String text) {
    int number = 0;
    for (String raw : text.split("\n", -1)) {
      number++;
      String line = withoutComment(raw).stripTrailing();
      if (!line.isBlank() && !(lines.isEmpty() && line.equals("---"))) {
        if (line.indexOf('\t') >= 0 && line.stripLeading().length() < line.length()) {
          requireNoTab(line, number);
        }
        int indent = line.length() - line.stripLeading().length();
        lines.add(new Line(number, indent, line.strip()));
      }
    }
  }

  private static void requireNoTab(String line, int number) {
    String margin = line.substring(0, line.length() - line.stripLeading().length());
    if (margin.indexOf('\t') >= 0) {
      throw fault(number, "tabs do not indent");
    }
  }

  /**
   * Reads a document.
   *
   * @return maps, lists, texts, numbers, booleans and null
   * @throws IllegalArgumentException if it is not written in the part of YAML that is read
   */
  static @Nullable Object read(String text) {
    PolicyYaml yaml = new PolicyYaml(text);
    if (yaml.lines.isEmpty()) {
      return null;
    }
    Object value = yaml.block(yaml.lines.get(0).indent());
    if (yaml.at < yaml.lines.size()) {
      throw fault(yaml.lines.get(yaml.at).number(), "indentation fits nothing above");
    }
    return value;
  }

  private static IllegalArgumentException fault(int line, String what) {
    return new IllegalArgumentException("policy file cannot be read: line=" + line + ", " + what);
  }

  /** Cuts what follows a {@code #} that begins a word outside of quotes. */
  private static String withoutComment(String line) {
    char quote = 0;
    for (int i = 0; i < line.length(); i++) {
      char c = line.charAt(i);
      if (quote != 0) {
        quote = c == quote ? 0 : quote;
      } else if (c == '"' || c == '\'') {
        quote = c;
      } else if (c == '#' && (i == 0 || Character.isWhitespace(line.charAt(i - 1)))) {
        return line.substring(0, i);
      }
    }
    return line;
  }

  /* --------------- Blocks --------------- */

  private @Nullable Object block(int indent) {
    Line line = lines.get(at);
    if (isItem(line.text())) {
      return sequence(indent);
    }
    if (keyEnd(line.text()) >= 0) {
      return mapping(indent);
    }
    at++;
    return PolicyYamlFlow.read(line.text(), line.number());
  }

  private static boolean isItem(String text) {
    return text.equals("-") || text.startsWith("- ");
  }

  private List<@Nullable Object> sequence(int indent) {
    List<@Nullable Object> items = new ArrayList<>();
    while (at < lines.size() && lines.get(at).indent() == indent && isItem(lines.get(at).text())) {
      Line line = lines.get(at);
      String rest = line.text().substring(1).strip();
      if (rest.isEmpty()) {
        at++;
        items.add(nested(indent));
      } else {
        // What stands behind the dash is a block of its own, indented by where it begins.
        int inner = indent + line.text().indexOf(rest);
        lines.set(at, new Line(line.number(), inner, rest));
        items.add(block(inner));
      }
    }
    return items;
  }

  private Map<String, @Nullable Object> mapping(int indent) {
    Map<String, @Nullable Object> map = new LinkedHashMap<>();
    while (at < lines.size() && lines.get(at).indent() == indent) {
      Line line = lines.get(at);
      int end = keyEnd(line.text());
      if (end < 0 || isItem(line.text())) {
        throw fault(line.number(), "a key is missing");
      }
      String key =
          String.valueOf(PolicyYamlFlow.read(line.text().substring(0, end), line.number()));
      String rest = line.text().substring(end + 1).strip();
      at++;
      @Nullable Object value =
          rest.isEmpty() ? nested(indent) : PolicyYamlFlow.read(rest, line.number());
      if (map.containsKey(key)) {
        throw fault(line.number(), "key stands twice: key=" + key);
      }
      map.put(key, value);
    }
    return map;
  }

  /** Returns the block below a line, null if there is none; a sequence need not be indented. */
  private @Nullable Object nested(int indent) {
    if (at >= lines.size()) {
      return null;
    }
    Line next = lines.get(at);
    boolean isBelow = next.indent() > indent || (next.indent() == indent && isItem(next.text()));
    return isBelow ? block(next.indent()) : null;
  }

  /** Returns where a line's key ends, negative if it has none. */
  private static int keyEnd(String text) {
    char quote = 0;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (quote != 0) {
        quote = c == quote ? 0 : quote;
      } else if (i == 0 && (c == '"' || c == '\'')) {
        quote = c;
      } else if (i == 0 && (c == '{' || c == '[')) {
        return -1;
      } else if (c == ':' && (i + 1 == text.length() || text.charAt(i + 1) == ' ')) {
        return i;
      }
    }
    return -1;
  }
}
