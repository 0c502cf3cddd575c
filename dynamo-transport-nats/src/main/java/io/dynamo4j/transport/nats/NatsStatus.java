// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.nats;

import io.dynamo4j.core.model.DynamoException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A {@link NatsTransport} at one moment.
 *
 * @param state what there is of the server
 * @param failedAttempts failed attempts to connect since the last that succeeded
 * @param disconnects times that a connection was lost; what was published meanwhile by others is
 *     missed
 * @param lastFailure why the newest attempt failed, null if none has; {@code CANNOT_CONNECT}
 */
public record NatsStatus(
    NatsState state, int failedAttempts, long disconnects, @Nullable DynamoException lastFailure) {

  public NatsStatus {
    Objects.requireNonNull(state, "state");
  }
}
