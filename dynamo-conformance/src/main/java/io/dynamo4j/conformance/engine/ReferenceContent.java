// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.engine;

import io.dynamo4j.core.hash.XxHash3;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.msgpack.value.Value;
import org.msgpack.value.ValueFactory;

/** What beside tokens makes the blocks of a stored event differ from others. */
final class ReferenceContent {
  private static final String SALT_PREFIX = "dynamo-cache-salt:";

  final String loraName;

  /** The salt, empty for none. */
  final String salt;

  /** The media of each block; shorter than the blocks where the rest has none. */
  final List<List<Long>> media;

  /** Whether the event is to be refused. */
  final boolean isRefused;

  private ReferenceContent(
      String loraName, String salt, List<List<Long>> media, boolean isRefused) {
    this.loraName = loraName;
    this.salt = salt;
    this.media = media;
    this.isRefused = isRefused;
  }

  static ReferenceContent of(ReferenceEvent event, Set<Policy> policies) {
    Value name = event.field("lora_name");
    String loraName = name.isStringValue() ? name.asStringValue().asString() : "";
    Value id = event.field("lora_id");
    boolean hasId = !id.isNilValue() && !id.equals(ValueFactory.newInteger(0));
    boolean isRefused = policies.contains(Policy.UNNAMED_ADAPTERS) && hasId && loraName.isEmpty();
    List<List<Value>> keys = event.extraKeys();
    if (policies.contains(Policy.UNKNOWN_KEYS)) {
      isRefused |=
          keys.stream().anyMatch(block -> block.stream().anyMatch(key -> !isKnown(key, hasId, id)));
    }
    String salt = saltOf(event, keys, loraName, policies);
    return new ReferenceContent(
        loraName, salt, mediaOf(event, keys, loraName, salt, policies), isRefused);
  }

  private static boolean isKnown(Value key, boolean hasAdapter, Value adapter) {
    return key.isStringValue()
        || (hasAdapter && key.isIntegerValue() && key.equals(adapter))
        || (key.isArrayValue() && key.asArrayValue().get(0).isStringValue());
  }

  /* --------------- Salt --------------- */

  private static String saltOf(
      ReferenceEvent event, List<List<Value>> keys, String loraName, Set<Policy> policies) {
    String own = event.text("cache_salt");
    if (own != null && !own.isEmpty()) {
      return own;
    }
    String slot = saltIn(event.field("lora_name"));
    if (!slot.isEmpty()) {
      return slot;
    }
    List<Value> first = keys.isEmpty() ? List.of() : keys.get(0);
    for (Value key : first) {
      if (isMarked(key) && text(key).length() > SALT_PREFIX.length()) {
        return text(key).substring(SALT_PREFIX.length());
      }
    }
    if (!policies.contains(Policy.UNDECLARED_SALTS)) {
      return "";
    }
    String nested = saltIn(event.field("metadata"));
    if (!nested.isEmpty() || event.hasParent()) {
      return nested;
    }
    String bare = "";
    for (Value key : first) {
      if (isBare(key, loraName) && !isDigest(text(key))) {
        bare = text(key);
      }
    }
    return bare;
  }

  private static String saltIn(Value value) {
    if (!value.isMapValue()) {
      return "";
    }
    Map<Value, Value> map = value.asMapValue().map();
    Value salt = map.getOrDefault(ValueFactory.newString("cache_salt"), ValueFactory.newNil());
    return salt.isStringValue() ? salt.asStringValue().asString() : "";
  }

  private static boolean isMarked(Value key) {
    return key.isStringValue() && text(key).startsWith(SALT_PREFIX);
  }

  private static boolean isBare(Value key, String loraName) {
    return key.isStringValue()
        && !isMarked(key)
        && !text(key).isEmpty()
        && !text(key).equals(loraName);
  }

  private static String text(Value key) {
    return key.asStringValue().asString();
  }

  private static boolean isDigest(String text) {
    return text.matches("[0-9a-fA-F]{64}");
  }

  /* --------------- Media --------------- */

  private static List<List<Long>> mediaOf(
      ReferenceEvent event,
      List<List<Value>> keys,
      String loraName,
      String salt,
      Set<Policy> policies) {
    List<List<Long>> blocks = new ArrayList<>();
    Value infos = event.field("block_mm_infos");
    if (infos.isArrayValue()) {
      infos.asArrayValue().forEach(info -> blocks.add(objectsOf(info)));
    } else if (policies.contains(Policy.KEYED_MEDIA)) {
      for (int block = 0; block < keys.size(); block++) {
        // Only the first block of a sequence is salted.
        String known = block == 0 && !event.hasParent() ? salt : "";
        blocks.add(mediaOf(keys.get(block), loraName, known));
      }
    }
    return blocks;
  }

  /** The last unmarked text may be the salt; all others are media. */
  private static List<Long> mediaOf(List<Value> keys, String loraName, String salt) {
    int last = -1;
    for (int i = 0; i < keys.size(); i++) {
      last = isBare(keys.get(i), loraName) && !isDigest(text(keys.get(i))) ? i : last;
    }
    List<Long> media = new ArrayList<>();
    for (int i = 0; i < keys.size(); i++) {
      Value key = keys.get(i);
      String id = "";
      if (key.isArrayValue() && key.asArrayValue().get(0).isStringValue()) {
        id = text(key.asArrayValue().get(0));
      } else if (isBare(key, loraName) && (i != last || !text(key).equals(salt))) {
        id = text(key);
      }
      if (!id.isEmpty()) {
        media.add(mediumHash(id));
      }
    }
    return media;
  }

  private static long mediumHash(String id) {
    if (isDigest(id)) {
      return Long.parseUnsignedLong(id.substring(0, 16), 16);
    }
    byte[] utf8 = id.getBytes(StandardCharsets.UTF_8);
    return XxHash3.hash(utf8, 0, utf8.length, 0);
  }

  private static List<Long> objectsOf(@Nullable Value info) {
    List<Long> hashes = new ArrayList<>();
    if (info != null && info.isMapValue()) {
      Value objects =
          info.asMapValue()
              .map()
              .getOrDefault(ValueFactory.newString("mm_objects"), ValueFactory.newNil());
      for (Value object : objects.asArrayValue()) {
        Value hash =
            object
                .asMapValue()
                .map()
                .getOrDefault(ValueFactory.newString("mm_hash"), ValueFactory.newNil());
        hashes.add(hash.asIntegerValue().asBigInteger().longValue());
      }
    }
    return hashes;
  }
}
