// SPDX-License-Identifier: Apache-2.0
/**
 * What every implementation of a core contract must do, as abstract JUnit classes: extend one,
 * supply the implementation, and its tests run against it.
 */
@NullMarked
package io.dynamo4j.testkit.contract;

import org.jspecify.annotations.NullMarked;
