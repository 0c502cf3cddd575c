// SPDX-License-Identifier: Apache-2.0
/** What tests of several modules share: recorded data and an allocation meter. */
@NullMarked
package io.dynamo4j.core.testing;

import org.jspecify.annotations.NullMarked;
