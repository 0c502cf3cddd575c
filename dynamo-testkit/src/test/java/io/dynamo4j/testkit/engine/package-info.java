// SPDX-License-Identifier: Apache-2.0
@NullMarked
package io.dynamo4j.testkit.engine;

import org.jspecify.annotations.NullMarked;
