// SPDX-License-Identifier: Apache-2.0
/** Long searches for wrong behaviour, run by name. */
@NullMarked
package io.dynamo4j.benchmarks.soak;

import org.jspecify.annotations.NullMarked;
