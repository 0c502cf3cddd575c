// SPDX-License-Identifier: Apache-2.0
/** Contracts of the request plane, the event plane, the worker directory and dispatch. */
@NullMarked
package io.dynamo4j.plane;

import org.jspecify.annotations.NullMarked;
