// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.wire;

import io.dynamo4j.plane.EventScope;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/**
 * Names of discovery records: where they stand in a store, and as files.
 *
 * <p><b>Threads.</b> Stateless.
 */
public final class RecordKeys {
  public static final String INSTANCES = "v1/instances";
  public static final String MODELS = "v1/mdc";
  public static final String EVENT_CHANNELS = "v1/event_channels";
  public static final String EVENT_SOURCES = "v1/event_sources";

  private static final String HEX = "0123456789ABCDEF";

  private RecordKeys() {}

  /** Returns the key of an instance's record and of its model's, within their buckets. */
  public static String instance(EventScope.Endpoint endpoint, long instanceId) {
    return endpoint.namespace()
        + "/"
        + endpoint.component()
        + "/"
        + endpoint.endpoint()
        + "/"
        + Long.toHexString(instanceId);
  }

  /** Returns the key of a publisher's records, within their buckets. */
  public static String publisher(EventScope scope, String topic, long publisherId) {
    return scope(scope) + "/topic/" + segment(topic) + "/" + Long.toHexString(publisherId);
  }

  private static String scope(EventScope scope) {
    if (scope instanceof EventScope.Endpoint endpoint) {
      return component(endpoint.namespace(), endpoint.component())
          + "/endpoint/"
          + segment(endpoint.endpoint());
    }
    if (scope instanceof EventScope.Component component) {
      return component(component.namespace(), component.component());
    }
    return "namespace/" + segment(((EventScope.Namespace) scope).namespace());
  }

  private static String component(String namespace, String component) {
    return "namespace/" + segment(namespace) + "/component/" + segment(component);
  }

  private static String segment(String text) {
    return escape(text, "-_");
  }

  /** Returns a key as the name of a file: all but letters and digits are escaped. */
  public static String fileName(String key) {
    return escape(key, "");
  }

  private static String escape(String text, String kept) {
    StringBuilder out = new StringBuilder();
    for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
      boolean isPlain = (b >= 'a' && b <= 'z') || (b >= 'A' && b <= 'Z') || (b >= '0' && b <= '9');
      if (isPlain || kept.indexOf(b) >= 0) {
        out.append((char) b);
      } else {
        out.append('%').append(HEX.charAt((b & 0xff) >> 4)).append(HEX.charAt(b & 0xf));
      }
    }
    return out.toString();
  }

  /** Returns the key that a file's name stands for; what is no escape stays as it is. */
  public static String ofFileName(String name) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
    for (int i = 0; i < bytes.length; i++) {
      int high = i + 2 < bytes.length ? Character.digit(bytes[i + 1], 16) : -1;
      int low = i + 2 < bytes.length ? Character.digit(bytes[i + 2], 16) : -1;
      if (bytes[i] == '%' && high >= 0 && low >= 0) {
        out.write(high << 4 | low);
        i += 2;
      } else {
        out.write(bytes[i]);
      }
    }
    return out.toString(StandardCharsets.UTF_8);
  }
}
