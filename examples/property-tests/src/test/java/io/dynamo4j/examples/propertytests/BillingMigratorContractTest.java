// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.examples.propertytests;

import io.dynamo4j.testkit.contracts.MigratorContract;
import io.dynamo4j.testkit.contracts.MigratorFactory;

/** What every migrator must do, this one too. */
class BillingMigratorContractTest extends MigratorContract {

  @Override
  protected MigratorFactory factory() {
    return BillingMigrators::create;
  }
}
