// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.model;

/**
 * Text from outside as it may stand in a log line or in the message of an exception: on one line,
 * with nothing that a terminal obeys or that turns the direction of writing, and of bounded length.
 * A request's id is such text: it comes from a client.
 *
 * <p><b>Threads.</b> Stateless. Cost: O(length) up to the bound; text that is safe already is
 * returned as it is.
 */
public final class SafeText {
  /** Characters of the text that are shown. */
  public static final int MAX_CHARS = 128;

  private SafeText() {}

  /**
   * Returns the text with controls, line and paragraph separators, invisible formats and halves of
   * surrogates as Java escapes them, a backslash doubled, and all beyond {@value #MAX_CHARS}
   * characters as their number.
   */
  public static String of(String text) {
    int end = Math.min(text.length(), MAX_CHARS);
    if (end < text.length() && Character.isHighSurrogate(text.charAt(end - 1))) {
      end--;
    }
    if (end == text.length() && isSafe(text)) {
      return text;
    }
    StringBuilder safe = new StringBuilder(end + 32);
    for (int i = 0; i < end; i += Character.charCount(text.codePointAt(i))) {
      append(safe, text.codePointAt(i));
    }
    if (end < text.length()) {
      safe.append("...(").append(text.length() - end).append(" more)");
    }
    return safe.toString();
  }

  private static boolean isSafe(String text) {
    return text.codePoints().allMatch(SafeText::isSafe);
  }

  private static boolean isSafe(int codePoint) {
    if (codePoint < 0x7f) {
      return codePoint >= ' ' && codePoint != '\\';
    }
    return switch (Character.getType(codePoint)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR,
          Character.PRIVATE_USE,
          Character.SURROGATE,
          Character.UNASSIGNED ->
          false;
      default -> true;
    };
  }

  private static void append(StringBuilder safe, int codePoint) {
    if (isSafe(codePoint)) {
      safe.appendCodePoint(codePoint);
    } else if (codePoint == '\\') {
      safe.append("\\\\");
    } else {
      for (char unit : Character.toChars(codePoint)) {
        safe.append(String.format("\\u%04x", (int) unit));
      }
    }
  }
}
