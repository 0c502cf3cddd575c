// SPDX-License-Identifier: Apache-2.0
/** Recorded decisions about workers: loads, costs and winners. */
@NullMarked
package io.dynamo4j.conformance.selection;

import org.jspecify.annotations.NullMarked;
