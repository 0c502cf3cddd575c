// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.wire;

import io.dynamo4j.wire.WireFormatException.Reason;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Small JSON objects of plain fields, as operators send and read them. Bounds are those of {@link
 * JsonValues}.
 *
 * <p><b>Threads.</b> Stateless.
 */
public final class JsonMaps {

  private JsonMaps() {}

  /**
   * Returns the fields of an object, in order: texts, flags, {@code Long}, {@code Double} or null.
   *
   * @return null if the document is JSON but no object, or a field is an object or a list
   * @throws WireFormatException if it is no JSON or beyond a bound
   */
  public static @Nullable Map<String, @Nullable Object> read(byte[] json) {
    MsgpackReader in = MsgpackReader.of(JsonValues.toMsgpack(json));
    if (in.nextKind() != MsgpackReader.Kind.MAP) {
      return null;
    }
    int entries = in.readMapHeader();
    Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    for (int i = 0; i < entries; i++) {
      String name = in.readString();
      switch (in.nextKind()) {
        case NIL -> {
          in.skip();
          fields.put(name, null);
        }
        case BOOLEAN -> fields.put(name, in.readBoolean());
        case INTEGER -> fields.put(name, integer(in));
        case FLOAT -> fields.put(name, in.readDouble());
        case STRING -> fields.put(name, in.readString());
        default -> {
          return null;
        }
      }
    }
    return fields;
  }

  /** Numbers beyond the signed ones lose their last bits rather than their sign. */
  private static Object integer(MsgpackReader in) {
    boolean isNegative = in.nextIsNegative();
    long bits = in.readBits64();
    return isNegative || bits >= 0 ? (Object) bits : (Object) ((bits >>> 1) * 2.0);
  }

  /**
   * Returns an object of texts, flags, numbers and nulls as JSON, without white space.
   *
   * @throws WireFormatException if a value is something else
   */
  public static String write(Map<String, ? extends @Nullable Object> fields) {
    MsgpackWriter out = MsgpackWriter.ofExpectedSize(64);
    out.map(fields.size());
    fields.forEach(
        (name, value) -> {
          out.string(name);
          write(value, out);
        });
    return new String(JsonValues.toJson(out.toByteArray()), StandardCharsets.UTF_8);
  }

  private static void write(@Nullable Object value, MsgpackWriter out) {
    if (value == null) {
      out.nil();
    } else if (value instanceof String text) {
      out.string(text);
    } else if (value instanceof Boolean flag) {
      out.bool(flag);
    } else if (value instanceof Double number) {
      out.float64(number);
    } else if (value instanceof Long || value instanceof Integer) {
      out.signed(((Number) value).longValue());
    } else {
      throw new WireFormatException(Reason.MALFORMED, "value of " + value.getClass(), 0);
    }
  }
}
