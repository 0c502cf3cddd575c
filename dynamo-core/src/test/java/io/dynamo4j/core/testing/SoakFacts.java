// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Locale;
import java.util.Map;

/** What a test has seen, for a soak that runs it with {@code dynamo4j.soak.facts} naming a file. */
public final class SoakFacts {

  private SoakFacts() {}

  /** Adds the facts to the file if a soak wants them, a line each; enums in words. */
  public static void write(Map<?, Long> facts) {
    String file = System.getProperty("dynamo4j.soak.facts");
    if (file == null) {
      return;
    }
    StringBuilder lines = new StringBuilder();
    facts.forEach((key, value) -> lines.append(name(key)).append('=').append(value).append('\n'));
    try {
      Files.writeString(
          Path.of(file),
          lines,
          StandardCharsets.UTF_8,
          StandardOpenOption.CREATE,
          StandardOpenOption.APPEND);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String name(Object key) {
    return key instanceof Enum<?> named
        ? named.name().toLowerCase(Locale.ROOT).replace('_', ' ')
        : key.toString();
  }
}
