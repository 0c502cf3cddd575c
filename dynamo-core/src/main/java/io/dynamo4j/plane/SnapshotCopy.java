// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.plane;

import java.io.IOException;
import java.io.InputStream;

/** What a {@link SnapshotStore} held under a name, kept nearby until it is closed. */
public interface SnapshotCopy extends AutoCloseable {

  /** Opens the bytes from their beginning, as often as wanted; the caller closes. */
  InputStream open() throws IOException;

  /** Drops the copy; idempotent. */
  @Override
  void close();
}
