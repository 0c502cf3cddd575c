// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.contracts;

import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.migration.MigrationOptions;
import io.dynamo4j.migration.Migrator;
import io.dynamo4j.migration.ReplayAdapter;
import io.dynamo4j.plane.RequestDispatcher;

/** The library's own migrator, as the contracts want it made. */
final class OurMigrator {

  private OurMigrator() {}

  static Migrator<PreprocessedRequest, LLMEngineOutput> create(
      MigrationOptions options,
      RequestDispatcher<PreprocessedRequest, LLMEngineOutput> dispatcher,
      Environment environment) {
    return Migrator.builder()
        .limit(options.limit())
        .adapter(ReplayAdapter.preprocessed())
        .dispatcher(dispatcher)
        .environment(environment)
        .build();
  }
}
