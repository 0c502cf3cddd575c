// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.plane;

/**
 * Handle that ends something which was started; closing is idempotent and never waits. After a
 * close on the lane that delivers nothing more is delivered; a close from elsewhere may meet a
 * delivery under way.
 */
@FunctionalInterface
public interface Subscription extends AutoCloseable {

  @Override
  void close();
}
