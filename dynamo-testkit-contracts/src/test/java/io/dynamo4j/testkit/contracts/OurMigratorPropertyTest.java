// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.contracts;

class OurMigratorPropertyTest extends MigratorPropertyContract {

  @Override
  protected MigratorFactory factory() {
    return OurMigrator::create;
  }
}
