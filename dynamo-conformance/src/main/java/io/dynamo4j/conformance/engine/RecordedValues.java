// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.engine;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.msgpack.value.Value;
import org.msgpack.value.ValueFactory;

/** Turns values written as JSON back into what was on the wire. */
final class RecordedValues {
  private static final Pattern NUMBER = Pattern.compile("-?\\d{1,20}");
  private static final Set<String> HASHES =
      Set.of("block_hashes", "parent_block_hash", "mm_hash", "worker_id", "block_hash");

  private RecordedValues() {}

  /** Returns a batch: bytes are objects with {@code $bin}, large hashes may be decimal texts. */
  static Value of(JsonNode recorded) {
    return of(recorded, false);
  }

  private static Value of(JsonNode node, boolean isHash) {
    if (node.isObject()) {
      return ofObject(node);
    }
    if (node.isArray()) {
      List<Value> items = new ArrayList<>();
      boolean isEvent = node.path(0).asText().startsWith("Block");
      for (int i = 0; i < node.size(); i++) {
        items.add(of(node.get(i), isHash || (isEvent && (i == 1 || i == 2))));
      }
      return ValueFactory.newArray(items);
    }
    if (node.isIntegralNumber()) {
      return ValueFactory.newInteger(node.bigIntegerValue());
    }
    if (node.isTextual() && isHash && NUMBER.matcher(node.textValue()).matches()) {
      return ValueFactory.newInteger(new BigInteger(node.textValue()));
    }
    if (node.isTextual()) {
      return ValueFactory.newString(node.textValue());
    }
    if (node.isNumber()) {
      return ValueFactory.newFloat(node.doubleValue());
    }
    return node.isBoolean() ? ValueFactory.newBoolean(node.booleanValue()) : ValueFactory.newNil();
  }

  private static Value ofObject(JsonNode node) {
    if (node.has("$bin")) {
      return ValueFactory.newBinary(HexFormat.of().parseHex(node.get("$bin").textValue()));
    }
    Map<Value, Value> entries = new LinkedHashMap<>();
    node.fields()
        .forEachRemaining(
            entry ->
                entries.put(
                    ValueFactory.newString(entry.getKey()),
                    of(entry.getValue(), HASHES.contains(entry.getKey()))));
    return ValueFactory.newMap(entries);
  }
}
