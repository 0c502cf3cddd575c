// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * What replaying one case showed: faults of ours, and places where the recorded peer is wrong by a
 * rule that is known.
 *
 * <p>A reader may call something a deviation only if the case's own content explains it and our
 * result equals the right one, computed apart from the code under test.
 */
public final class Replay {
  private final List<String> faults = new ArrayList<>();
  private final List<Deviation> deviations = new ArrayList<>();

  private Replay() {}

  /**
   * One recorded answer that ours deliberately does not give.
   *
   * @param rule the rule that explains it
   * @param text what differs
   */
  public record Deviation(String rule, String text) {}

  public static Replay create() {
    return new Replay();
  }

  /** Notes a fault. */
  public void fault(String text) {
    faults.add(text);
  }

  public void deviation(String rule, String text) {
    deviations.add(new Deviation(rule, text));
  }

  /** Notes a fault unless both are equal. */
  public void same(String what, Object recorded, Object ours) {
    if (!Objects.equals(recorded, ours)) {
      fault(what + ": recorded=" + recorded + ", ours=" + ours);
    }
  }

  /** Notes a fault unless both hold the same hashes in the same order. */
  public void sameHashes(String what, long[] recorded, long[] ours) {
    if (recorded.length != ours.length) {
      fault(what + ": recorded.length=" + recorded.length + ", ours.length=" + ours.length);
      return;
    }
    int at = Arrays.mismatch(recorded, ours);
    if (at >= 0) {
      String theirs = Long.toUnsignedString(recorded[at]);
      fault(
          what + "[" + at + "]: recorded=" + theirs + ", ours=" + Long.toUnsignedString(ours[at]));
    }
  }

  public List<String> faults() {
    return List.copyOf(faults);
  }

  public List<Deviation> deviations() {
    return List.copyOf(deviations);
  }
}
