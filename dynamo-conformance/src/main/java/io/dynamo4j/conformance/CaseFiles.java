// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** Finds the case files under given paths, each once, in order of name; and what is wrong there. */
final class CaseFiles {
  private final Set<Path> seen = new LinkedHashSet<>();

  /** Folders that are being walked, so that a link to one of them ends there. */
  private final Set<Path> open = new LinkedHashSet<>();

  private final List<CaseFile> files = new ArrayList<>();
  private final List<String> faults = new ArrayList<>();

  private CaseFiles() {}

  /**
   * Walks files and folders.
   *
   * @throws NoSuchPathException if a path does not exist
   */
  static CaseFiles under(List<Path> paths) {
    CaseFiles found = new CaseFiles();
    for (Path path : paths) {
      if (!Files.isReadable(path)) {
        throw new NoSuchPathException(path);
      }
      if (Files.isDirectory(path)) {
        found.addFolder(path);
      } else {
        found.addGivenFile(path);
      }
    }
    return found;
  }

  List<CaseFile> files() {
    return List.copyOf(files);
  }

  List<String> faults() {
    return List.copyOf(faults);
  }

  private void addGivenFile(Path path) {
    if (CaseFile.isCaseFile(path)) {
      add(path);
    } else {
      faults.add(path + ": is neither .json nor .jsonl");
    }
  }

  private void addFolder(Path folder) {
    if (visit(folder) == 0) {
      faults.add(folder + ": folder holds no case file");
    }
  }

  /** Returns the number of case files below {@code folder}; a folder with nothing is a fault. */
  private int visit(Path folder) {
    Path real = real(folder);
    if (!open.add(real)) {
      faults.add(folder + ": is a link to a folder that it is in");
      return 0;
    }
    int count = visitEntries(folder);
    open.remove(real);
    return count;
  }

  private static Path real(Path folder) {
    try {
      return folder.toRealPath();
    } catch (IOException e) {
      throw new UncheckedIOException("folder cannot be read: path=" + folder, e);
    }
  }

  private int visitEntries(Path folder) {
    List<Path> entries = entries(folder);
    int count = 0;
    for (Path entry : entries) {
      if (Files.isDirectory(entry)) {
        if (entries(entry).isEmpty()) {
          faults.add(entry + ": folder is empty");
        }
        count += visit(entry);
      } else if (CaseFile.isCaseFile(entry)) {
        add(entry);
        count++;
      }
    }
    return count;
  }

  private void add(Path path) {
    try {
      if (seen.add(path.toRealPath())) {
        files.add(CaseFile.of(path));
      }
    } catch (IOException e) {
      faults.add(path + ": cannot be read");
    }
  }

  private static List<Path> entries(Path folder) {
    try (Stream<Path> entries = Files.list(folder)) {
      return entries.sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException("folder cannot be read: path=" + folder, e);
    }
  }

  /** A path on the command line that does not exist or must not be read. */
  static final class NoSuchPathException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    NoSuchPathException(Path path) {
      super("path does not exist or cannot be read: path=" + path);
    }
  }
}
