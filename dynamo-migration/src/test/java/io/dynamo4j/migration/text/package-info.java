// SPDX-License-Identifier: Apache-2.0
@NullMarked
package io.dynamo4j.migration.text;

import org.jspecify.annotations.NullMarked;
