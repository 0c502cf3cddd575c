// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.examples.fleet;

import io.dynamo4j.simulation.trace.TraceRow;
import java.util.List;

/**
 * What is served.
 *
 * @param name the file's name, or that of the built-in generator
 * @param ceilingHitRate what one infinite cache shared by all would reuse, 0…1
 */
record DemoTrace(String name, List<TraceRow> rows, double ceilingHitRate) {}
