// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.regex.Pattern;

/**
 * Strict access to a case's fields: whatever is not of the expected type and range is malformed,
 * never taken for a default.
 */
public final class Fields {
  private static final Pattern NUMBER = Pattern.compile("-?\\d+");

  private Fields() {}

  /** Returns a field that must be there. */
  public static JsonNode required(JsonNode node, String name) {
    JsonNode field = node.get(name);
    if (field == null || field.isNull()) {
      throw new MalformedCaseException("field is missing: name=" + name);
    }
    return field;
  }

  public static JsonNode array(JsonNode node, String name) {
    JsonNode field = required(node, name);
    if (!field.isArray()) {
      throw wrong("array", name, field);
    }
    return field;
  }

  public static String text(JsonNode node, String name) {
    JsonNode field = required(node, name);
    if (!field.isTextual()) {
      throw wrong("text", name, field);
    }
    return field.textValue();
  }

  /** Returns a text, empty if absent or null. */
  public static String textOrEmpty(JsonNode node, String name) {
    return isAbsent(node, name) ? "" : text(node, name);
  }

  public static boolean isAbsent(JsonNode node, String name) {
    JsonNode field = node.get(name);
    return field == null || field.isNull();
  }

  public static int integer(JsonNode node, String name) {
    JsonNode field = required(node, name);
    if (!field.isIntegralNumber() || !field.canConvertToInt()) {
      throw wrong("32-bit integer", name, field);
    }
    return field.intValue();
  }

  /** Returns a flag, {@code otherwise} if absent or null. */
  public static boolean flag(JsonNode node, String name, boolean otherwise) {
    if (isAbsent(node, name)) {
      return otherwise;
    }
    JsonNode field = node.get(name);
    if (!field.isBoolean()) {
      throw wrong("flag", name, field);
    }
    return field.booleanValue();
  }

  /** Returns a 64-bit pattern, written as a decimal number or text, signed or unsigned. */
  public static long bits(JsonNode value) {
    String text = value.isTextual() || value.isIntegralNumber() ? value.asText() : "";
    if (NUMBER.matcher(text).matches()) {
      try {
        return text.startsWith("-") ? Long.parseLong(text) : Long.parseUnsignedLong(text);
      } catch (NumberFormatException tooLarge) {
        throw new MalformedCaseException("hash has more than 64 bits: value=" + text, tooLarge);
      }
    }
    throw wrong("64-bit number", "hash", value);
  }

  /** Returns a list of 64-bit patterns. */
  public static long[] bitsArray(JsonNode node, String name) {
    JsonNode array = array(node, name);
    long[] values = new long[array.size()];
    for (int i = 0; i < values.length; i++) {
      values[i] = bits(array.get(i));
    }
    return values;
  }

  /** Returns token ids, each an unsigned 32-bit number. */
  public static int[] tokens(JsonNode node, String name) {
    JsonNode array = array(node, name);
    int[] values = new int[array.size()];
    for (int i = 0; i < values.length; i++) {
      JsonNode token = array.get(i);
      if (!token.isIntegralNumber() || !token.canConvertToLong() || token.longValue() >>> 32 != 0) {
        throw wrong("token id", name, token);
      }
      values[i] = (int) token.longValue();
    }
    return values;
  }

  /** Returns the fault of a field with another type or range than {@code expected}. */
  public static MalformedCaseException wrong(String expected, String name, JsonNode value) {
    String text = value.toString();
    String cut = text.length() > 80 ? text.substring(0, 80) + "…" : text;
    return new MalformedCaseException(
        "field has the wrong type: name=" + name + ", expected=" + expected + ", value=" + cut);
  }
}
