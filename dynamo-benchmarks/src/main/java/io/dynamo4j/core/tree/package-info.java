// SPDX-License-Identifier: Apache-2.0
/** The plain-array reference of the tree's lookup; here because it reads the tree's own arrays. */
@NullMarked
package io.dynamo4j.core.tree;

import org.jspecify.annotations.NullMarked;
