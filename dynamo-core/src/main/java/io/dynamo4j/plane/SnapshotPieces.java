// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.plane;

import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * What a {@link SnapshotStore} holds under a name, while it comes. A bounded number of pieces is
 * kept until they are asked for.
 *
 * <p><b>Threads.</b> One caller at a time, which asks again once the last answer is there.
 */
public interface SnapshotPieces extends AutoCloseable {

  /**
   * Returns the next bytes, at least one, the caller's from then on; empty behind the last, once
   * all together are known to be what was written. Fails as {@link SnapshotStore#get}, and with
   * {@code NOT_FOUND} where the name goes before the last piece; then no more come.
   */
  CompletionStage<Optional<byte[]>> next();

  /** Returns how many bytes there are in all; known once the first piece, or the end, has come. */
  long totalBytes();

  /** Asks for no more; idempotent. */
  @Override
  void close();
}
