// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SourcesTest {

  @TempDir
  @SuppressWarnings("NullAway.Init")
  Path folder;

  private Path file = Path.of("");

  @BeforeEach
  void locate() {
    file = folder.resolve("Sample.java");
  }

  @Test
  void shouldReportPublicTypeWithoutComment() throws IOException {
    Files.writeString(
        file, "/** A stray comment. */\nimport java.util.List;\n\npublic final class Sample {}\n");

    assertThat(Sources.withoutDocumentation(folder)).containsExactly(file);
  }

  @Test
  void shouldAcceptCommentBeforeAnnotations() throws IOException {
    Files.writeString(
        file,
        "import java.util.List;\n\n/** Told. */\n@Deprecated\npublic sealed interface Sample {}\n");

    assertThat(Sources.withoutDocumentation(folder)).isEmpty();
  }

  @Test
  void shouldAcceptHiddenTypeWithoutComment() throws IOException {
    Files.writeString(file, "final class Sample {}\n");

    assertThat(Sources.withoutDocumentation(folder)).isEmpty();
  }

  @Test
  void shouldReportPackageThatIsNotNullMarked() throws IOException {
    Files.writeString(file, "final class Sample {}\n");
    assertThat(Sources.withoutNullMark(folder)).containsExactly(folder);

    Files.writeString(folder.resolve("package-info.java"), "@NullMarked\npackage sample;\n");
    assertThat(Sources.withoutNullMark(folder)).isEmpty();
  }
}
