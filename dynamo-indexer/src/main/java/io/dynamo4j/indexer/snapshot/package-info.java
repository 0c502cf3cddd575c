// SPDX-License-Identifier: Apache-2.0
/** What an index holds, as bytes that outlive the process. */
@NullMarked
package io.dynamo4j.indexer.snapshot;

import org.jspecify.annotations.NullMarked;
