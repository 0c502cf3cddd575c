// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.discovery;

import io.dynamo4j.core.runtime.RandomSource;
import io.dynamo4j.wire.RecordKeys;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;

/**
 * Records as files: one folder a bucket, one file a record, whose time of modification is its
 * lease.
 *
 * <p>A record appears whole or not at all: it is written under another name and moved.
 */
final class RecordFiles {
  private static final String UNFINISHED = ".tmp_";
  private static final int MAX_RECORD_BYTES = 4 << 20;

  private final Path root;
  private final RandomSource random;

  RecordFiles(Path root, RandomSource random) {
    this.root = root;
    this.random = random;
  }

  Path path(String bucket, String key) {
    return root.resolve(bucket).resolve(RecordKeys.fileName(key));
  }

  /** Returns the files of a bucket by name; empty if there is no such bucket yet. */
  Map<String, Stamp> list(String bucket) throws IOException {
    TreeMap<String, Stamp> found = new TreeMap<>();
    Path folder = root.resolve(bucket);
    if (!Files.isDirectory(folder)) {
      return found;
    }
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
      for (Path file : files) {
        String name = file.getFileName().toString();
        if (!name.startsWith(UNFINISHED)) {
          try {
            found.put(name, Stamp.of(file));
          } catch (NoSuchFileException gone) {
            // Taken away while we look.
          }
        }
      }
    } catch (DirectoryIteratorException failed) {
      throw failed.getCause();
    }
    return found;
  }

  byte[] read(String bucket, String name) throws IOException {
    Path file = root.resolve(bucket).resolve(name);
    if (Files.size(file) > MAX_RECORD_BYTES) {
      throw new IOException("record is too large: file=" + file);
    }
    return Files.readAllBytes(file);
  }

  void write(Path file, byte[] content, Instant now) throws IOException {
    Path folder = file.toAbsolutePath().getParent();
    if (folder == null) {
      throw new IOException("record has no folder: file=" + file);
    }
    Files.createDirectories(folder);
    Path unfinished = folder.resolve(UNFINISHED + String.format("%016x", random.nextLong()));
    try {
      Files.write(unfinished, content);
      Files.setLastModifiedTime(unfinished, FileTime.from(now));
      Files.move(
          unfinished, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } finally {
      Files.deleteIfExists(unfinished);
    }
  }

  /** Renews the lease of a record; false if the file is gone. */
  boolean touch(Path file, Instant now) throws IOException {
    try {
      Files.setLastModifiedTime(file, FileTime.from(now));
      return true;
    } catch (NoSuchFileException gone) {
      return false;
    }
  }

  /**
   * When and how large a file was.
   *
   * @param modified the time of its last keep-alive
   */
  record Stamp(Instant modified, long size) {
    static Stamp of(Path file) throws IOException {
      return new Stamp(Files.getLastModifiedTime(file).toInstant(), Files.size(file));
    }
  }
}
