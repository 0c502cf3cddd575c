// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.scenario;

import java.util.Objects;

/** A broken invariant; ends the run at once. */
final class OracleViolation extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final Oracle oracle;

  OracleViolation(Oracle oracle, String detail) {
    super(Objects.requireNonNull(detail, "detail"));
    this.oracle = Objects.requireNonNull(oracle, "oracle");
  }

  Oracle oracle() {
    return oracle;
  }

  static void check(boolean holds, Oracle oracle, String detail) {
    if (!holds) {
      throw new OracleViolation(oracle, detail);
    }
  }
}
