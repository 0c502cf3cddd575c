// SPDX-License-Identifier: Apache-2.0
/**
 * For hosts that answer on a thread of their own, such as servlets and virtual threads: the only
 * package that waits. Nothing here may be used on a lane.
 */
@NullMarked
package io.dynamo4j.blocking;

import org.jspecify.annotations.NullMarked;
