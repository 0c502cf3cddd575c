// SPDX-License-Identifier: Apache-2.0
/** A gateway that joins a Dynamo fleet. */
@NullMarked
package io.dynamo4j.examples.gateway;

import org.jspecify.annotations.NullMarked;
