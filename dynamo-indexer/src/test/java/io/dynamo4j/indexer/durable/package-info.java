// SPDX-License-Identifier: Apache-2.0
/** Tests of the durable mode. */
@NullMarked
package io.dynamo4j.indexer.durable;

import org.jspecify.annotations.NullMarked;
