// SPDX-License-Identifier: Apache-2.0
/** Primitive collections that the index needs; shared inside the family only. */
@NullMarked
package io.dynamo4j.core.collect;

import org.jspecify.annotations.NullMarked;
