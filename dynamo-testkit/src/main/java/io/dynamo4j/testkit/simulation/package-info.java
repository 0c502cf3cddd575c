// SPDX-License-Identifier: Apache-2.0
/**
 * Virtual time: the lanes, clocks and chance of any number of nodes, played by one thread and
 * reproducible from a seed.
 *
 * <p>{@link io.dynamo4j.testkit.simulation.Simulation} is the kernel. Each {@link
 * io.dynamo4j.testkit.simulation.SimulatedNode} hands out an {@link
 * io.dynamo4j.core.runtime.Environment}, so that the classes under test run as they do on real
 * threads. What the kernel explores is the order of tasks, not of memory accesses.
 */
@NullMarked
package io.dynamo4j.testkit.simulation;

import org.jspecify.annotations.NullMarked;
