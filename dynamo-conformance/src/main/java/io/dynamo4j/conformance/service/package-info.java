// SPDX-License-Identifier: Apache-2.0
/** Readers of what the peer's services answer. */
@NullMarked
package io.dynamo4j.conformance.service;

import org.jspecify.annotations.NullMarked;
