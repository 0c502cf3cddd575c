// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.blocking;

import io.dynamo4j.blocking.Gate;
import io.dynamo4j.core.runtime.Environment;
import java.util.function.Consumer;
import org.jspecify.annotations.NullMarked;

/** Somewhere a blocking client can run: a real thread, a baton thread, or the test itself. */
@NullMarked
interface BlockingHost extends AutoCloseable {

  Environment environment();

  /** Runs {@code body} as the client, to its end. */
  void runClient(Consumer<Gate> body);

  @Override
  void close();
}
