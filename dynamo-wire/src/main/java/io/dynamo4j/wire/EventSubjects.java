// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.wire;

import io.dynamo4j.plane.EventScope;
import java.nio.charset.StandardCharsets;

/** Names of scopes and topics as Dynamo's brokers and NATS carry them. */
public final class EventSubjects {
  private static final char[] HEX = "0123456789ABCDEF".toCharArray();

  private EventSubjects() {}

  /** Returns scope and topic in one, such as {@code namespace.a.component.b.kv-events}. */
  public static String of(EventScope scope, String topic) {
    StringBuilder subject = new StringBuilder();
    if (scope instanceof EventScope.Namespace in) {
      append(subject, "namespace", in.namespace());
    } else if (scope instanceof EventScope.Component in) {
      append(subject, "namespace", in.namespace());
      append(subject, "component", in.component());
    } else if (scope instanceof EventScope.Endpoint in) {
      append(subject, "namespace", in.namespace());
      append(subject, "component", in.component());
      append(subject, "endpoint", in.endpoint());
    }
    return subject.append(topic).toString();
  }

  /** Every byte that is no letter, digit, underscore or hyphen is written in hexadecimal. */
  private static void append(StringBuilder subject, String kind, String name) {
    subject.append(kind).append('.');
    for (byte each : name.getBytes(StandardCharsets.UTF_8)) {
      char c = (char) (each & 0xff);
      boolean plain =
          (c >= 'a' && c <= 'z')
              || (c >= 'A' && c <= 'Z')
              || (c >= '0' && c <= '9')
              || c == '_'
              || c == '-';
      if (plain) {
        subject.append(c);
      } else {
        subject.append('%').append(HEX[c >> 4]).append(HEX[c & 0xf]);
      }
    }
    subject.append('.');
  }
}
