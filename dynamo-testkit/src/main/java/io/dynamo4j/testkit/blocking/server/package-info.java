// SPDX-License-Identifier: Apache-2.0
/** Servers that tests and demos start beside themselves, and wait for. */
@NullMarked
package io.dynamo4j.testkit.blocking.server;

import org.jspecify.annotations.NullMarked;
