// SPDX-License-Identifier: Apache-2.0
/** From an engine's socket into the index, against a loop that only receives. */
@NullMarked
package io.dynamo4j.benchmarks.zmq;

import org.jspecify.annotations.NullMarked;
