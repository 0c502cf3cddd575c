// SPDX-License-Identifier: Apache-2.0
/** Values that cross module borders: workers, events, requests, outputs and errors. */
@NullMarked
package io.dynamo4j.core.model;

import org.jspecify.annotations.NullMarked;
