// SPDX-License-Identifier: Apache-2.0
/** The TCP request plane against bare sockets. */
@NullMarked
package io.dynamo4j.benchmarks.tcp;

import org.jspecify.annotations.NullMarked;
