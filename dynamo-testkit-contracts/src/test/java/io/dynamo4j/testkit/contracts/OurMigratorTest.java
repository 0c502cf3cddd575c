// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.contracts;

class OurMigratorTest extends MigratorContract {

  @Override
  protected MigratorFactory factory() {
    return OurMigrator::create;
  }
}
