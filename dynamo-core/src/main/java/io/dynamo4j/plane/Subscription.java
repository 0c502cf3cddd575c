// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.plane;

/** Handle that ends something which was started; closing is idempotent and never waits. */
@FunctionalInterface
public interface Subscription extends AutoCloseable {

  @Override
  void close();
}
