// SPDX-License-Identifier: Apache-2.0
/** Events of engines in, events of routers out: one normalizer a worker, every refusal counted. */
@NullMarked
package io.dynamo4j.indexer.engine;

import org.jspecify.annotations.NullMarked;
