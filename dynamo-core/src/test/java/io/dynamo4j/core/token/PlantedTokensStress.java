// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.token;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** The fault that {@link TokenAccumulatorStress} is there to find, planted in a copy. */
public final class PlantedTokensStress {
  private PlantedTokensStress() {}

  /** A stream of tokens whose length is stored before its token. */
  @JCStressTest
  @State
  @Outcome(id = "0", expect = Expect.ACCEPTABLE, desc = "Every token counted is there.")
  @Outcome(expect = Expect.FORBIDDEN, desc = "A token was read before it was written.")
  public static class LengthBeforeToken {
    private final int[] tokens = new int[40];
    private volatile int length;

    @Actor
    public void writer() {
      for (int i = 0; i < tokens.length; i++) {
        length = i + 1;
        tokens[i] = i + 1;
      }
    }

    @Actor
    public void reader(I_Result result) {
      int seen = length;
      for (int i = 0; i < seen; i++) {
        result.r1 += tokens[i] == i + 1 ? 0 : 1;
      }
    }
  }
}
