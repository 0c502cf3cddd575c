// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.examples.propertytests;

import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.migration.MigrationOptions;
import io.dynamo4j.migration.Migrator;
import io.dynamo4j.migration.ReplayAdapter;
import io.dynamo4j.plane.RequestDispatcher;

/** Makes the migrator under test, as a contract or a property wants it. */
final class BillingMigrators {

  private BillingMigrators() {}

  static BillingMigrator create(
      MigrationOptions options,
      RequestDispatcher<PreprocessedRequest, LLMEngineOutput> dispatcher,
      Environment environment) {
    return BillingMigrator.around(
        Migrator.builder()
            .limit(options.limit())
            .adapter(ReplayAdapter.preprocessed())
            .dispatcher(dispatcher)
            .environment(environment)
            .build());
  }
}
