// SPDX-License-Identifier: Apache-2.0
/** The README's first sample as a program. */
@NullMarked
package io.dynamo4j.examples.quickstart;

import org.jspecify.annotations.NullMarked;
