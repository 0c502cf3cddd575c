// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.plane;

import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.dynamo4j.conformance.Fields;
import io.dynamo4j.conformance.Replay;
import io.dynamo4j.wire.PayloadFormat;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.msgpack.core.MessagePack;
import org.msgpack.core.MessagePackException;
import org.msgpack.core.MessageUnpacker;
import org.msgpack.value.Value;

/**
 * What a recording says that its bytes mean, against those bytes, whole: no field of it may say
 * something else, whether this library reads that field or not. Shares no code with the library's
 * own readers.
 *
 * <p>A recording writes large numbers as decimal texts, bytes as {@code {"$bin": hex}} or, where
 * they stand elsewhere, {@code {"$bin_len": n}}, and {@code {"$undecodable": why}} for bytes that
 * are no value.
 */
public final class RecordedMeaning {
  private static final ObjectMapper JSON =
      JsonMapper.builder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build();

  private RecordedMeaning() {}

  /** Compares a recorded value, unless there is none, with the bytes of one. */
  public static void compare(
      String what, JsonNode recorded, byte[] bytes, PayloadFormat format, Replay replay) {
    if (recorded.isMissingNode()) {
      return;
    }
    boolean saysUnreadable = recorded.has("$undecodable");
    String difference;
    try {
      difference =
          format == PayloadFormat.JSON
              ? difference("", recorded, JSON.readTree(bytes))
              : difference("", recorded, msgpack(bytes));
    } catch (IOException | MessagePackException e) {
      replay.same(what + " is readable", saysUnreadable, true);
      return;
    }
    replay.same(what + " is unreadable", saysUnreadable, false);
    if (difference != null && !saysUnreadable) {
      replay.fault(what + " means something else than recorded: " + difference);
    }
  }

  /** Compares a recorded text, unless there is none, with bytes. */
  static void compareText(String what, JsonNode content, String name, byte[] bytes, Replay replay) {
    if (content.has(name)) {
      replay.same(what, Fields.text(content, name), new String(bytes, StandardCharsets.UTF_8));
    }
  }

  /** Compares a recorded number, unless there is none. */
  static void compareNumber(
      String what, JsonNode content, String name, long actual, Replay replay) {
    if (content.has(name)) {
      replay.same(what, Fields.bits(content.get(name)), actual);
    }
  }

  private static Value msgpack(byte[] bytes) throws IOException {
    try (MessageUnpacker in = MessagePack.newDefaultUnpacker(bytes)) {
      Value value = in.unpackValue();
      if (in.hasNext()) {
        throw new MessagePackException(
            "bytes are left: count=" + (bytes.length - in.getTotalReadBytes()));
      }
      return value;
    }
  }

  /* --------------- MessagePack --------------- */

  /** Returns where the first difference is and which, null if there is none. */
  private static @Nullable String difference(String where, JsonNode recorded, Value actual) {
    boolean isSame =
        switch (actual.getValueType()) {
          case NIL -> recorded.isNull();
          case BOOLEAN ->
              recorded.isBoolean()
                  && recorded.booleanValue() == actual.asBooleanValue().getBoolean();
          case INTEGER -> isNumber(recorded) && recorded.asText().equals(actual.toString());
          case FLOAT ->
              recorded.isNumber() && recorded.doubleValue() == actual.asFloatValue().toDouble();
          case STRING -> isText(recorded, actual.asRawValue().asByteArray());
          case BINARY -> isBytes(recorded, actual.asRawValue().asByteArray());
          case ARRAY, MAP -> true;
          case EXTENSION -> false;
        };
    if (!isSame) {
      return at(where, recorded, actual);
    }
    return switch (actual.getValueType()) {
      case ARRAY -> differenceOfItems(where, recorded, actual);
      case MAP -> differenceOfEntries(where, recorded, actual);
      default -> null;
    };
  }

  private static @Nullable String differenceOfItems(String where, JsonNode recorded, Value actual) {
    var items = actual.asArrayValue().list();
    if (!recorded.isArray() || recorded.size() != items.size()) {
      return at(where, recorded, actual);
    }
    String difference = null;
    for (int i = 0; i < items.size() && difference == null; i++) {
      difference = difference(where + "[" + i + "]", recorded.get(i), items.get(i));
    }
    return difference;
  }

  private static @Nullable String differenceOfEntries(
      String where, JsonNode recorded, Value actual) {
    Map<String, Value> entries = new HashMap<>();
    actual
        .asMapValue()
        .map()
        .forEach(
            (key, value) ->
                entries.put(
                    key.isStringValue() ? key.asStringValue().asString() : key.toString(), value));
    if (!recorded.isObject() || recorded.size() != entries.size()) {
      return at(where, recorded, actual);
    }
    String difference = null;
    for (Map.Entry<String, JsonNode> entry : recorded.properties()) {
      Value value = entries.get(entry.getKey());
      if (difference == null) {
        difference =
            value == null
                ? at(where, recorded, actual)
                : difference(where + "." + entry.getKey(), entry.getValue(), value);
      }
    }
    return difference;
  }

  private static boolean isNumber(JsonNode recorded) {
    return recorded.isIntegralNumber() || recorded.isTextual();
  }

  /** Bytes that are no UTF-8 cannot be written as text: of those nothing is compared. */
  private static boolean isText(JsonNode recorded, byte[] utf8) {
    String text = new String(utf8, StandardCharsets.UTF_8);
    boolean isUtf8 = Arrays.equals(text.getBytes(StandardCharsets.UTF_8), utf8);
    return !isUtf8 || (recorded.isTextual() && recorded.textValue().equals(text));
  }

  private static boolean isBytes(JsonNode recorded, byte[] bytes) {
    return recorded.has("$bin")
        ? recorded.get("$bin").asText().equals(HexFormat.of().formatHex(bytes))
        : recorded.path("$bin_len").asInt(-1) == bytes.length;
  }

  /* --------------- JSON --------------- */

  private static @Nullable String difference(String where, JsonNode recorded, JsonNode actual) {
    boolean isSame =
        switch (actual.getNodeType()) {
          case NUMBER ->
              actual.isIntegralNumber()
                  ? isNumber(recorded) && recorded.asText().equals(actual.asText())
                  : recorded.isNumber() && recorded.doubleValue() == actual.doubleValue();
          case ARRAY -> recorded.isArray() && recorded.size() == actual.size();
          case OBJECT -> recorded.isObject() && recorded.size() == actual.size();
          default -> recorded.equals(actual);
        };
    String difference = isSame ? null : at(where, recorded, actual);
    for (int i = 0; actual.isArray() && i < actual.size() && difference == null; i++) {
      difference = difference(where + "[" + i + "]", recorded.get(i), actual.get(i));
    }
    for (Map.Entry<String, JsonNode> entry : actual.properties()) {
      if (difference == null) {
        String name = where + "." + entry.getKey();
        difference = difference(name, recorded.path(entry.getKey()), entry.getValue());
      }
    }
    return difference;
  }

  private static String at(String where, JsonNode recorded, Object actual) {
    return (where.isEmpty() ? "all of it" : where)
        + ": recorded="
        + cut(recorded.toString())
        + ", bytes="
        + cut(actual.toString());
  }

  private static String cut(String text) {
    return text.length() > 80 ? text.substring(0, 80) + "…" : text;
  }
}
