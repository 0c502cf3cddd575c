// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.discovery;

import java.util.concurrent.CompletionStage;

/** What one call registered; kept alive until closed. */
public interface Registration extends AutoCloseable {

  /**
   * Returns a stage that ends once the records are there for others to see; with the failure if
   * they could not be written, and are tried again with each keep-alive.
   */
  CompletionStage<Void> registered();

  /** Takes the records away, soon. Idempotent. */
  @Override
  void close();
}
