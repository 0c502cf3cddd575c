// SPDX-License-Identifier: Apache-2.0
/**
 * Contracts of what a host may replace or wrap, and jqwik arbitraries of what goes wrong.
 *
 * <p>{@link io.dynamo4j.testkit.contracts.MigratorContract} needs JUnit and AssertJ; {@link
 * io.dynamo4j.testkit.contracts.MigrationArbitraries} and {@link
 * io.dynamo4j.testkit.contracts.MigratorPropertyContract} need jqwik too. None of them is brought
 * along.
 */
@NullMarked
package io.dynamo4j.testkit.contracts;

import org.jspecify.annotations.NullMarked;
