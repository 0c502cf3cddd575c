// SPDX-License-Identifier: Apache-2.0
/** A gateway whose migrations Prometheus can scrape. */
@NullMarked
package io.dynamo4j.examples.metrics;

import org.jspecify.annotations.NullMarked;
