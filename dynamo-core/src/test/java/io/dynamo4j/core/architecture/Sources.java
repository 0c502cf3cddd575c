// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.architecture;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** What only sources show: comments, and that each package is null-marked. */
final class Sources {

  private static final Pattern PUBLIC_TYPE =
      Pattern.compile(
          "^public [a-z -]*(class|interface|enum|record|@interface) ", Pattern.MULTILINE);

  private static final Pattern IMPORT = Pattern.compile("^(import|package) ", Pattern.MULTILINE);

  private Sources() {}

  /** Returns files whose public type has no Javadoc. */
  static List<Path> withoutDocumentation(Path folder) {
    return files(folder).filter(file -> !isDocumented(read(file))).toList();
  }

  /** Returns folders with types but without a null-marked {@code package-info}. */
  static List<Path> withoutNullMark(Path folder) {
    return files(folder)
        .filter(file -> !file.endsWith("module-info.java"))
        .map(Path::getParent)
        .distinct()
        .filter(parent -> !isNullMarked(parent.resolve("package-info.java")))
        .toList();
  }

  private static boolean isDocumented(String source) {
    Matcher type = PUBLIC_TYPE.matcher(source);
    if (!type.find()) {
      return true;
    }
    String head = source.substring(0, type.start());
    int comment = head.lastIndexOf("*/");
    return comment >= 0 && !IMPORT.matcher(head.substring(comment)).find();
  }

  private static boolean isNullMarked(Path packageInfo) {
    return Files.exists(packageInfo) && read(packageInfo).contains("@NullMarked\npackage ");
  }

  private static Stream<Path> files(Path folder) {
    try (Stream<Path> paths = Files.walk(folder)) {
      return paths.filter(path -> path.toString().endsWith(".java")).sorted().toList().stream();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
