// SPDX-License-Identifier: Apache-2.0
/** Dynamo's own index as a program that runs on the same operation log. */
@NullMarked
package io.dynamo4j.benchmarks.comparator;

import org.jspecify.annotations.NullMarked;
