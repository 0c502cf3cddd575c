// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.plane;

import java.util.Objects;

/**
 * Where a transport finds an endpoint, in the transport's own format.
 *
 * @param transport the transport's name, such as {@code memory}, {@code tcp}, {@code nats}
 * @param value what that transport dials; its format is documented there
 */
public record Address(String transport, String value) {

  public Address {
    Objects.requireNonNull(transport, "transport");
    Objects.requireNonNull(value, "value");
  }

  @Override
  public String toString() {
    return transport + "://" + value;
  }
}
