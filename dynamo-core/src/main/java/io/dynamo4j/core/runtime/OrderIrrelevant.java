// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.runtime;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Exempts a class from the rule against collections of salted or identity-hash order, because no
 * such order ever shows in what it does.
 */
@Retention(RetentionPolicy.CLASS)
@Target(ElementType.TYPE)
public @interface OrderIrrelevant {

  /** Returns why: nothing is iterated, or what is done in the iteration commutes. */
  String value();
}
