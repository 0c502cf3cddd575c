// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.examples.fleet;

import java.io.PrintStream;

/** A one-line bar on a terminal; silent elsewhere. */
final class ProgressBar {
  private static final int WIDTH = 40;

  private final PrintStream out;
  private final boolean visible;
  private int shownPercent = -1;

  ProgressBar(PrintStream out, boolean visible) {
    this.out = out;
    this.visible = visible;
  }

  /** Shows how much of a policy's requests have arrived. */
  void show(String policy, long done, long total) {
    if (!visible) {
      return;
    }
    int percent = (int) (done * 100 / Math.max(1, total));
    if (percent == shownPercent) {
      return;
    }
    shownPercent = percent;
    int filled = percent * WIDTH / 100;
    out.print(
        "\r"
            + "█".repeat(filled)
            + "░".repeat(WIDTH - filled)
            + String.format(" %3d %% %-14s", percent, policy));
    out.flush();
  }

  /** Takes the bar away. */
  void clear() {
    if (visible) {
      out.print("\r" + " ".repeat(WIDTH + 24) + "\r");
      out.flush();
    }
  }
}
