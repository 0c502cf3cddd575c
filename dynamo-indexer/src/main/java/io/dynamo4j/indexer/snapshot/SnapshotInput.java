// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer.snapshot;

import java.io.IOException;
import java.io.InputStream;

/** Where a snapshot comes from; opened once to check it and once to read it. */
@FunctionalInterface
public interface SnapshotInput {

  /** Opens the bytes from their beginning; whoever called closes. */
  InputStream open() throws IOException;
}
