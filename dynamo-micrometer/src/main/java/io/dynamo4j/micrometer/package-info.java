// SPDX-License-Identifier: Apache-2.0
/** What the library counts, as meters of the host's Micrometer registry. */
@NullMarked
package io.dynamo4j.micrometer;

import org.jspecify.annotations.NullMarked;
