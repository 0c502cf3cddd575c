// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.wire;

import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.wire.WireFormatException.Reason;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Values that are carried without being read: maps by text in their order, lists, texts, booleans,
 * {@code Long}s as bit patterns, {@code Double}s and null.
 */
final class MsgpackValues {
  private MsgpackValues() {}

  /**
   * Reads a value.
   *
   * @throws WireFormatException if it nests too deep or holds bytes or an extension
   */
  static @Nullable Object read(MsgpackReader in) {
    in.depth();
    return value(in);
  }

  /** Reads a map; empty where there is nil. */
  static Map<String, Object> readMap(MsgpackReader in) {
    if (in.tryNil()) {
      return Collections.emptyMap();
    }
    in.depth();
    return map(in);
  }

  private static @Nullable Object value(MsgpackReader in) {
    return switch (in.nextKind()) {
      case NIL -> {
        in.skip();
        yield null;
      }
      case BOOLEAN -> in.readBoolean();
      case INTEGER -> in.readBits64();
      case FLOAT -> in.readDouble();
      case STRING -> in.readString();
      case ARRAY -> list(in);
      case MAP -> map(in);
      case BINARY, EXTENSION -> throw in.fault(Reason.MALFORMED, "value that JSON lacks");
    };
  }

  // Absent and null say the same in what is carried: nulls are left out.
  private static Map<String, Object> map(MsgpackReader in) {
    int entries = in.readMapHeader();
    Map<String, Object> map = new LinkedHashMap<>();
    for (int i = 0; i < entries; i++) {
      String key = in.readString();
      Object value = value(in);
      if (value != null) {
        map.put(key, value);
      }
    }
    return map;
  }

  private static List<@Nullable Object> list(MsgpackReader in) {
    int items = in.readArrayHeader();
    List<@Nullable Object> list = new ArrayList<>();
    for (int i = 0; i < items; i++) {
      list.add(value(in));
    }
    return list;
  }

  /**
   * Appends a value.
   *
   * @throws IllegalArgumentException if it is of another type than those that {@link #read} returns
   *     or a smaller number
   */
  static MsgpackWriter write(@Nullable Object value, MsgpackWriter out) {
    if (value == null) {
      return out.nil();
    } else if (value instanceof String text) {
      return out.string(text);
    } else if (value instanceof Boolean flag) {
      return out.bool(flag);
    } else if (value instanceof Double || value instanceof Float) {
      return out.float64(((Number) value).doubleValue());
    } else if (value instanceof Number number) {
      return out.signed(number.longValue());
    } else if (value instanceof List<?> list) {
      out.array(list.size());
      list.forEach(item -> write(item, out));
      return out;
    } else if (value instanceof Map<?, ?> map) {
      out.map(map.size());
      map.forEach((key, item) -> write(item, out.string((String) key)));
      return out;
    }
    throw new IllegalArgumentException("value cannot be carried: class=" + value.getClass());
  }

  static void writeTokens(TokenSlice tokens, MsgpackWriter out) {
    out.array(tokens.length());
    for (int i = 0; i < tokens.length(); i++) {
      out.unsigned(Integer.toUnsignedLong(tokens.get(i)));
    }
  }

  static TokenSlice readTokens(MsgpackReader in) {
    if (in.tryNil()) {
      return TokenSlice.empty();
    }
    int[] tokens = new int[in.readArrayHeader()];
    for (int i = 0; i < tokens.length; i++) {
      tokens[i] = in.readBits32();
    }
    return TokenSlice.wrap(tokens);
  }
}
