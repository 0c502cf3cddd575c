// SPDX-License-Identifier: Apache-2.0
/** A host's own migrator. */
@NullMarked
package io.dynamo4j.examples.propertytests;

import org.jspecify.annotations.NullMarked;
