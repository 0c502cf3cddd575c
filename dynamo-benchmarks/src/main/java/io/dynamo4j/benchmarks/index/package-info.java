// SPDX-License-Identifier: Apache-2.0
/** The index on a neutral operation log, against Dynamo's own index on the same log. */
@NullMarked
package io.dynamo4j.benchmarks.index;

import org.jspecify.annotations.NullMarked;
