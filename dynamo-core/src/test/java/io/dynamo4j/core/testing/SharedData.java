// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.testing;

import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Assumptions;

/**
 * Finds recorded cases, traces and programs outside the repository.
 *
 * <p>Looks at the system property {@code dynamo4j.shared}, then the environment variable {@code
 * DYNAMO4J_SHARED}, then {@code ../shared} beside the root of the clone. Where a file is absent the
 * calling test is skipped; with {@code CI=true} it fails.
 */
public final class SharedData {

  private SharedData() {}

  /** Returns a folder or file of recorded cases, such as {@code core/lora.json}. */
  public static Path golden(String relative) {
    return path("data/golden/" + relative);
  }

  /** Returns a trace, such as {@code conversation_trace.jsonl}. */
  public static Path trace(String relative) {
    return path("data/traces/" + relative);
  }

  /** Returns a program, such as {@code replay-reference/reference_sim.py}. */
  public static Path tool(String relative) {
    return path("tools/" + relative);
  }

  /** Returns whether {@code relative} to the shared folder exists; never skips. */
  public static boolean exists(String relative) {
    return Files.exists(root().resolve(relative));
  }

  /** Returns an existing path relative to the shared folder, or ends the calling test. */
  public static Path path(String relative) {
    Path path = root().resolve(relative);
    if (!Files.exists(path)) {
      String message = "shared data is missing: path=" + path;
      if ("true".equals(System.getenv("CI"))) {
        Assertions.fail(message);
      }
      Assumptions.abort(message);
    }
    return path;
  }

  /** Returns the shared folder, whether or not it exists. */
  public static Path root() {
    String named =
        firstNonEmpty(System.getProperty("dynamo4j.shared"), System.getenv("DYNAMO4J_SHARED"));
    return named != null ? Path.of(named) : repository().resolveSibling("shared");
  }

  /** Returns the root of the clone: system property {@code dynamo4j.root}, or found upwards. */
  public static Path repository() {
    String named = System.getProperty("dynamo4j.root");
    if (named != null && !named.isEmpty()) {
      return Path.of(named).toAbsolutePath().normalize();
    }
    Path here = Path.of("").toAbsolutePath();
    for (Path folder = here; folder != null; folder = folder.getParent()) {
      if (Files.isDirectory(folder.resolve(".mvn"))) {
        return folder;
      }
    }
    throw new IllegalStateException("no root of the clone above: path=" + here);
  }

  private static @Nullable String firstNonEmpty(@Nullable String first, @Nullable String second) {
    if (first != null && !first.isEmpty()) {
      return first;
    }
    return second != null && !second.isEmpty() ? second : null;
  }
}
