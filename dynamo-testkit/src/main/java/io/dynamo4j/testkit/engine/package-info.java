// SPDX-License-Identifier: Apache-2.0
/**
 * A worker without a model: real scheduling, real cache bookkeeping, tokens that prove their
 * context.
 */
@NullMarked
package io.dynamo4j.testkit.engine;

import org.jspecify.annotations.NullMarked;
