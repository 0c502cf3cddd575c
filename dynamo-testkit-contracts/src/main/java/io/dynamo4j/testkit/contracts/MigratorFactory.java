// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.contracts;

import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.migration.MigrationOptions;
import io.dynamo4j.migration.Migrator;
import io.dynamo4j.plane.RequestDispatcher;

/** Makes the migrator that a contract looks at: the library's own, wrapped, or another. */
@FunctionalInterface
public interface MigratorFactory {

  /**
   * Makes a migrator.
   *
   * @param options of requests that bring none; the contract passes each request's own
   * @param dispatcher starts each attempt
   * @param environment virtual time; the migrator must take time, lanes and chance from nowhere
   *     else
   */
  Migrator<PreprocessedRequest, LLMEngineOutput> create(
      MigrationOptions options,
      RequestDispatcher<PreprocessedRequest, LLMEngineOutput> dispatcher,
      Environment environment);
}
