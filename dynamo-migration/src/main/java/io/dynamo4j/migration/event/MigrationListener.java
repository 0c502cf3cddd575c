// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration.event;

/**
 * Receives what happens to a migrator's requests.
 *
 * <p><b>Threads.</b> Events of one request come in order from its lane; events of different
 * requests may overlap. The call is on the path of tokens: it must return quickly and not wait.
 * What it throws is logged once for each class of exception and otherwise ignored.
 */
@FunctionalInterface
public interface MigrationListener {

  void onEvent(MigrationEvent event);
}
