// SPDX-License-Identifier: Apache-2.0
/** What engines publish about their caches becomes an index. */
@NullMarked
package io.dynamo4j.examples.engineevents;

import org.jspecify.annotations.NullMarked;
