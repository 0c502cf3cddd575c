// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.testing;

import net.jqwik.api.lifecycle.AroundPropertyHook;
import net.jqwik.api.lifecycle.PropagationMode;
import net.jqwik.api.lifecycle.PropertyExecutionResult;
import net.jqwik.api.lifecycle.PropertyExecutor;
import net.jqwik.api.lifecycle.PropertyLifecycleContext;

/**
 * Gives every property that names no seed the one of the system property {@code test.seed}, so that
 * a build fails for a change and never for its draw; {@code -Dtest.seed=random} searches anew.
 *
 * <p>Found by jqwik as a service, in every module that has this test jar.
 */
public final class RepeatableProperties implements AroundPropertyHook {
  private static final String SEED = "20261130";

  /** Returns whether each run draws its own seed. */
  static boolean random() {
    return seed().equals("random");
  }

  private static String seed() {
    return System.getProperty("test.seed", SEED);
  }

  @Override
  public PropertyExecutionResult aroundProperty(
      PropertyLifecycleContext context, PropertyExecutor property) {
    if (!random() && context.attributes().seed().isEmpty()) {
      context.attributes().setSeed(seed());
    }
    return property.execute();
  }

  @Override
  public PropagationMode propagateTo() {
    return PropagationMode.ALL_DESCENDANTS;
  }

  @Override
  public int aroundPropertyProximity() {
    return -100;
  }
}
