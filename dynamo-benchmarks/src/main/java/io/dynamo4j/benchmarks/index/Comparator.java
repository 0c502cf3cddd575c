// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.index;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import java.util.zip.CRC32;

/**
 * Dynamo's own index on the same log, as a program that is built from its sources the first time,
 * where cargo is installed.
 */
final class Comparator {
  private static final String PROGRAM = "kv-index-comparator";
  private static final ObjectMapper JSON = new ObjectMapper();

  private final Path program;

  private Comparator(Path program) {
    this.program = program;
  }

  /**
   * Returns the program, built if need be, or nothing where sources or cargo are absent.
   *
   * @param environment the process environment: {@code DYNAMO4J_CACHE}, {@code HOME}
   */
  static Optional<Comparator> find(Path sources, Map<String, String> environment)
      throws IOException, InterruptedException {
    if (!Files.isDirectory(sources)) {
      return Optional.empty();
    }
    String home = environment.getOrDefault("HOME", ".");
    Path cache = Path.of(environment.getOrDefault("DYNAMO4J_CACHE", home + "/.cache/dynamo4j"));
    Files.createDirectories(cache);
    Path folder = cache.resolve("rust-comparator-" + digest(sources));
    try (RandomAccessFile file = new RandomAccessFile(folder + ".lock", "rw");
        FileLock lock = file.getChannel().lock()) {
      if (lock.isValid() && !Files.isDirectory(folder) && !build(sources, folder)) {
        return Optional.empty();
      }
    }
    return Optional.of(new Comparator(folder.resolve("target/release").resolve(PROGRAM)));
  }

  private static String digest(Path sources) throws IOException {
    CRC32 crc = new CRC32();
    try (Stream<Path> files = Files.walk(sources)) {
      for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
        crc.update(Files.readAllBytes(file));
      }
    }
    return Long.toHexString(crc.getValue());
  }

  private static boolean build(Path sources, Path folder) throws IOException, InterruptedException {
    Path fresh = Files.createTempDirectory(folder.getParent(), "rust-comparator-building-");
    try (Stream<Path> files = Files.walk(sources)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        Path copy = fresh.resolve(sources.relativize(file).toString());
        Files.createDirectories(copy.getParent());
        Files.copy(file, copy, StandardCopyOption.REPLACE_EXISTING);
      }
    }
    try {
      Process cargo =
          new ProcessBuilder("cargo", "build", "--release", "--quiet")
              .directory(fresh.toFile())
              .redirectErrorStream(true)
              .redirectOutput(fresh.resolve("build.log").toFile())
              .start();
      if (cargo.waitFor() != 0) {
        return false;
      }
    } catch (IOException noCargo) {
      return false;
    }
    Files.move(fresh, folder);
    return true;
  }

  /** Runs the production tree, swept, on a log and returns one object a measurement. */
  List<JsonNode> run(Path trace, LogShape shape, int rounds)
      throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(
                program.toString(),
                "--trace",
                "" + trace,
                "--copies",
                "" + shape.copies(),
                "--factor",
                "" + shape.factor(),
                "--workers",
                "" + shape.workers(),
                "--capacity",
                "" + shape.capacity(),
                "--holdout",
                "" + shape.holdOut(),
                "--mode",
                "log,memory,lookup,apply",
                "--index",
                "crtc",
                "--threads",
                "1",
                "--sweep",
                "yes",
                "--rounds",
                "" + rounds)
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    List<JsonNode> measurements = new ArrayList<>();
    try (BufferedReader out = process.inputReader()) {
      for (String line = out.readLine(); line != null; line = out.readLine()) {
        measurements.add(JSON.readTree(line));
      }
    }
    int code = process.waitFor();
    if (code != 0 || measurements.isEmpty()) {
      throw new IOException("comparator failed: program=" + program + ", exit=" + code);
    }
    return measurements;
  }
}
