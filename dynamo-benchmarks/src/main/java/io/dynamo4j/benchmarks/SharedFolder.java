// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks;

import java.nio.file.Files;
import java.nio.file.Path;

/** Finds the recorded data and reference programs beside a checkout. */
public final class SharedFolder {

  private SharedFolder() {}

  /** Returns a path in the folder, whether or not it exists. */
  public static Path path(String relative) {
    String named = System.getProperty("dynamo4j.shared", System.getenv("DYNAMO4J_SHARED"));
    Path folder = named == null ? root().resolveSibling("shared") : Path.of(named);
    return folder.resolve(relative);
  }

  private static Path root() {
    String named = System.getProperty("dynamo4j.root");
    Path folder = Path.of(named == null ? "" : named).toAbsolutePath();
    while (folder.getParent() != null && !Files.isDirectory(folder.resolve(".mvn"))) {
      folder = folder.getParent();
    }
    return folder;
  }

  /** On a machine that must have everything, absence is a failure. */
  public static void requireUnlessOptional(Path missing) {
    if ("true".equals(System.getenv("CI"))) {
      throw new IllegalStateException("reference is absent: file=" + missing.getFileName());
    }
  }
}
