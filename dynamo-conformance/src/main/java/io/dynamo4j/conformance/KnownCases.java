// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A list that says of cases, or of rules that cases fall under, what is known about them.
 *
 * <p>A line is {@code case id → text} or {@code rule → text}; a case id has a slash, a rule has
 * none. Blank lines and those that begin with {@code #} do not count.
 */
final class KnownCases {
  private static final String ARROW = "→";

  private final Path file;
  private final Map<String, String> entries = new LinkedHashMap<>();
  private final Set<String> unused = new TreeSet<>();

  private KnownCases(Path file) {
    this.file = file;
  }

  /**
   * Reads a list; a file that is absent is an empty one.
   *
   * @throws MalformedCaseException if a line has no arrow, or a key stands twice
   */
  static KnownCases read(Path file) {
    KnownCases known = new KnownCases(file);
    if (Files.exists(file)) {
      try {
        int number = 0;
        for (String line : Files.readAllLines(file)) {
          known.add(line.strip(), ++number);
        }
      } catch (IOException e) {
        throw new UncheckedIOException("list cannot be read: path=" + file, e);
      }
    }
    return known;
  }

  private void add(String line, int number) {
    if (line.isEmpty() || line.startsWith("#")) {
      return;
    }
    int arrow = line.indexOf(ARROW);
    String key = arrow < 0 ? "" : line.substring(0, arrow).strip();
    String text = arrow < 0 ? "" : line.substring(arrow + ARROW.length()).strip();
    if (key.isEmpty() || text.isEmpty()) {
      throw new MalformedCaseException(
          "line is not `case or rule → text`: path=" + file + ", line=" + number);
    }
    if (entries.put(key, text) != null) {
      throw new MalformedCaseException(
          "entry stands twice: path=" + file + ", line=" + number + ", entry=" + key);
    }
    unused.add(key);
  }

  /** Returns what the list says of a case id or rule, or null, and marks the entry as used. */
  @Nullable String use(String key) {
    unused.remove(key);
    return entries.get(key);
  }

  /** Returns the entries that no case has used so far. */
  Set<String> unused() {
    return new TreeSet<>(unused);
  }

  @Override
  public String toString() {
    return file.toString();
  }
}
