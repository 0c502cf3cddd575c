// SPDX-License-Identifier: Apache-2.0
/** What a migrator reports about its requests as they run. */
@NullMarked
package io.dynamo4j.migration.event;

import org.jspecify.annotations.NullMarked;
