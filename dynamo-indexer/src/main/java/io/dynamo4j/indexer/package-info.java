// SPDX-License-Identifier: Apache-2.0
/** KV-block events in, prefix overlap out. */
@NullMarked
package io.dynamo4j.indexer;

import org.jspecify.annotations.NullMarked;
