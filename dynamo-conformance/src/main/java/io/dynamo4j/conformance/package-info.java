// SPDX-License-Identifier: Apache-2.0
/** Replays recorded cases of real peers against this library: the program behind its command. */
@NullMarked
package io.dynamo4j.conformance;

import org.jspecify.annotations.NullMarked;
