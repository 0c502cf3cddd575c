// SPDX-License-Identifier: Apache-2.0
/** Token ids of one stream: read-only slices and an append-only accumulator. */
@NullMarked
package io.dynamo4j.core.token;

import org.jspecify.annotations.NullMarked;
