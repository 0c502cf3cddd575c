// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.comparator;

import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import java.util.zip.CRC32;

/**
 * Builds the comparator once for each state of its sources, under a lock, in a folder that gets its
 * name only when the program has run.
 */
final class ComparatorBuild {
  private static final String PROGRAM = "target/release/kv-index-comparator";

  private ComparatorBuild() {}

  /**
   * Returns the program, or nothing if sources or cargo are absent or the build fails.
   *
   * @param features of cargo, empty for the default build; each has a folder of its own
   * @param environment the process environment: {@code DYNAMO4J_CACHE}, {@code HOME}
   */
  static Optional<Path> program(Path sources, String features, Map<String, String> environment)
      throws IOException, InterruptedException {
    if (!Files.isDirectory(sources)) {
      return Optional.empty();
    }
    String home = environment.getOrDefault("HOME", ".");
    Path cache = Path.of(environment.getOrDefault("DYNAMO4J_CACHE", home + "/.cache/dynamo4j"));
    Files.createDirectories(cache);
    Path folder =
        cache.resolve(
            "rust-comparator-" + digest(sources) + (features.isEmpty() ? "" : "-" + features));
    try (RandomAccessFile file = new RandomAccessFile(folder + ".lock", "rw");
        FileLock lock = file.getChannel().lock()) {
      if (lock.isValid() && !Files.isDirectory(folder) && !build(sources, features, folder)) {
        return Optional.empty();
      }
    }
    return Optional.of(folder.resolve(PROGRAM));
  }

  private static String digest(Path sources) throws IOException {
    CRC32 crc = new CRC32();
    for (Path file : filesOf(sources)) {
      crc.update(Files.readAllBytes(file));
    }
    return Long.toHexString(crc.getValue());
  }

  private static List<Path> filesOf(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      return files.filter(Files::isRegularFile).sorted().toList();
    }
  }

  private static boolean build(Path sources, String features, Path folder)
      throws IOException, InterruptedException {
    Path fresh = Files.createTempDirectory(folder.getParent(), "rust-comparator-building-");
    for (Path file : filesOf(sources)) {
      Path copy = fresh.resolve(sources.relativize(file).toString());
      Files.createDirectories(copy.getParent());
      Files.write(copy, Files.readAllBytes(file));
    }
    boolean isBuilt =
        succeeds(fresh, List.of("cargo", "build", "--release", "--quiet", "--features", features))
            && succeeds(fresh, List.of(fresh.resolve(PROGRAM).toString(), "--mode", "timer"));
    if (isBuilt) {
      Files.move(fresh, folder);
    } else {
      delete(fresh);
    }
    return isBuilt;
  }

  private static boolean succeeds(Path folder, List<String> command) throws InterruptedException {
    try {
      File log = folder.resolve("build.log").toFile();
      return new ProcessBuilder(command)
              .directory(folder.toFile())
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.appendTo(log))
              .start()
              .waitFor()
          == 0;
    } catch (IOException absent) {
      return false;
    }
  }

  private static void delete(Path folder) throws IOException {
    List<Path> all;
    try (Stream<Path> paths = Files.walk(folder)) {
      all = paths.sorted(java.util.Comparator.reverseOrder()).toList();
    }
    for (Path path : all) {
      Files.delete(path);
    }
  }
}
