// SPDX-License-Identifier: Apache-2.0
@NullMarked
package io.dynamo4j.migration;

import org.jspecify.annotations.NullMarked;
