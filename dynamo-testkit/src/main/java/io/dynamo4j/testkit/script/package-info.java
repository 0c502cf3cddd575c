// SPDX-License-Identifier: Apache-2.0
/** Workers that do what a script says, for tests of whatever sits above a dispatcher. */
@NullMarked
package io.dynamo4j.testkit.script;

import org.jspecify.annotations.NullMarked;
