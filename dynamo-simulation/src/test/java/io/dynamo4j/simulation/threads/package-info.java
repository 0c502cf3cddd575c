// SPDX-License-Identifier: Apache-2.0
@NullMarked
package io.dynamo4j.simulation.threads;

import org.jspecify.annotations.NullMarked;
