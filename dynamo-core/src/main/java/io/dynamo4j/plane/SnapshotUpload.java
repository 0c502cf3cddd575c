// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.plane;

import java.io.OutputStream;
import java.util.concurrent.CompletionStage;

/** Something that is being written to a {@link SnapshotStore}; one writer. */
public interface SnapshotUpload {

  /** Returns where the bytes go: kept nearby, never waiting for a server. */
  OutputStream output();

  /** Ends the bytes and stores them; completes once all of them can be read back. */
  CompletionStage<Void> commit();

  /** Drops what was written. Without effect after {@link #commit}; idempotent. */
  void abort();
}
