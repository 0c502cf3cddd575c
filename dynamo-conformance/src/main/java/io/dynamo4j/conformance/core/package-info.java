// SPDX-License-Identifier: Apache-2.0
/** Readers of recorded hashes and index scenarios. */
@NullMarked
package io.dynamo4j.conformance.core;

import org.jspecify.annotations.NullMarked;
