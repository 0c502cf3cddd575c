// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The same two cores for ours and for a reference: a prefix of their command lines. Empty where the
 * system has no {@code taskset}.
 */
public final class Cores {
  private static final int COUNT = 2;
  private static final Path STATUS = Path.of("/proc/self/status");
  private static final String ALLOWED = "Cpus_allowed_list:";

  private Cores() {}

  /** Returns {@code taskset -c A,B}, or nothing. */
  public static List<String> prefix() {
    try {
      if (!Files.isReadable(STATUS) || !isInstalled()) {
        return List.of();
      }
      for (String line : Files.readAllLines(STATUS)) {
        if (line.startsWith(ALLOWED)) {
          return List.of("taskset", "-c", first(line.substring(ALLOWED.length()).strip()));
        }
      }
    } catch (IOException unreadable) {
      // Not pinned then.
    }
    return List.of();
  }

  private static boolean isInstalled() {
    String path = System.getenv("PATH");
    for (String folder : path == null ? new String[0] : path.split(":", -1)) {
      if (Files.isExecutable(Path.of(folder, "taskset"))) {
        return true;
      }
    }
    return false;
  }

  /** Returns the first cores of a list like {@code 0-3,8}. */
  static String first(String allowed) {
    List<String> cores = new ArrayList<>();
    for (String range : allowed.split(",", -1)) {
      String[] ends = range.split("-", 2);
      int last = Integer.parseInt(ends[ends.length - 1]);
      for (int core = Integer.parseInt(ends[0]); core <= last && cores.size() < COUNT; core++) {
        cores.add(Integer.toString(core));
      }
    }
    return String.join(",", cores);
  }
}
