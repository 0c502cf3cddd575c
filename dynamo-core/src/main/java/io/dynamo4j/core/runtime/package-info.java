// SPDX-License-Identifier: Apache-2.0
/**
 * Time, lanes and chance, all supplied by the caller so that the same classes run in virtual time.
 */
@NullMarked
package io.dynamo4j.core.runtime;

import org.jspecify.annotations.NullMarked;
