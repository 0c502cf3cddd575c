// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.wire;

import io.dynamo4j.core.model.DynamoException;

/** A worker's own error that came in place of an item; it ends the answer. */
public final class PeerFailureException extends DynamoException {
  private static final long serialVersionUID = 1L;

  private PeerFailureException(PeerError error) {
    super(error.type(), "worker failed: message=" + error.safeMessage());
  }

  public static PeerFailureException of(PeerError error) {
    return new PeerFailureException(error);
  }
}
