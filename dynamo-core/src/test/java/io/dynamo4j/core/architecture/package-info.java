// SPDX-License-Identifier: Apache-2.0
/**
 * The rules that every module's classes keep, and the negative fixtures that show each rule to
 * catch what it forbids.
 */
@NullMarked
package io.dynamo4j.core.architecture;

import org.jspecify.annotations.NullMarked;
