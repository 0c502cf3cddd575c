// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.nats;

import io.dynamo4j.core.runtime.RandomSource;
import io.dynamo4j.plane.Address;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Names on the request plane: subjects of endpoints, as Dynamo's workers have them, and inboxes.
 */
final class NatsSubjects {
  private static final String TRANSPORT = "nats_tcp";
  private static final String DIGITS =
      "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  private static final int DIGITS_PER_LONG = 11;

  private NatsSubjects() {}

  /** Returns such as {@code dynamo_backend.generate-7684a229739d7c2b}. */
  static String endpoint(String namespace, String component, String endpoint, long instanceId) {
    return slug(namespace + "_" + component) + "." + endpoint + "-" + Long.toHexString(instanceId);
  }

  /** A name of lower-case letters, digits, hyphens and underscores, none of these in front. */
  static String slug(String name) {
    String plain = name.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9_-]", "_");
    return plain.replaceFirst("^_+", "");
  }

  static Address address(String subject) {
    return new Address(TRANSPORT + "+msgpack", subject);
  }

  /**
   * Returns how the instance of an address wants bodies: JSON where its record names no codec; null
   * if the address is of another transport, or of a codec that nobody knows.
   *
   * @throws IllegalArgumentException if the subject is none
   */
  static @Nullable String bodyFormat(Address address) {
    String transport = address.transport();
    String format;
    if (transport.equals(TRANSPORT)) {
      format = "json";
    } else if (transport.equals(TRANSPORT + "+msgpack") || transport.equals(TRANSPORT + "+json")) {
      format = transport.substring(TRANSPORT.length() + 1);
    } else {
      return null;
    }
    if (!isSubject(address.value())) {
      throw new IllegalArgumentException("subject is none that can be sent to");
    }
    return format;
  }

  private static boolean isSubject(String subject) {
    return !subject.isEmpty()
        && !subject.startsWith(".")
        && !subject.endsWith(".")
        && !subject.contains("..")
        && subject.chars().allMatch(c -> c > ' ' && c < 0x7f && c != '*' && c != '>');
  }

  /** Returns a name for replies, {@code _INBOX.} and 22 seeded digits and letters. */
  static String inbox(RandomSource random) {
    StringBuilder name = new StringBuilder("_INBOX.");
    for (int i = 0; i < 2; i++) {
      long bits = random.nextLong();
      for (int digit = 0; digit < DIGITS_PER_LONG; digit++) {
        name.append(DIGITS.charAt((int) Long.remainderUnsigned(bits, DIGITS.length())));
        bits = Long.divideUnsigned(bits, DIGITS.length());
      }
    }
    return name.toString();
  }
}
