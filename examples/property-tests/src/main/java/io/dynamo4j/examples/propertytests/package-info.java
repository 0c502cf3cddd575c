// SPDX-License-Identifier: Apache-2.0
/** A host's own migrator, and its own index. */
@NullMarked
package io.dynamo4j.examples.propertytests;

import org.jspecify.annotations.NullMarked;
