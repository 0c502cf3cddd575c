// SPDX-License-Identifier: Apache-2.0
/** The command line behind {@code bin/demo}: one trace, several policies, one table. */
@NullMarked
package io.dynamo4j.examples.fleet;

import org.jspecify.annotations.NullMarked;
