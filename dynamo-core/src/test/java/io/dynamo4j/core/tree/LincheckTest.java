// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.tree;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.testing.ForkedJvm;
import io.dynamo4j.core.tree.InterleavedWalk.Fault;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Runs {@link LincheckRun} for some seconds, in a process of its own. */
@Tag("slow")
class LincheckTest {

  @ParameterizedTest
  @CsvSource({"NONE, 100", "SKIPS_VERSIONS, 400", "SKIPS_LOSSES, 400"})
  void shouldHoldTheContractAndFindPlantedReaders(Fault fault, int executions, @TempDir Path folder)
      throws IOException, InterruptedException {
    ForkedJvm.Result result =
        ForkedJvm.run(
            folder,
            List.of("-Xmx512m", "-Djdk.attach.allowAttachSelf=true"),
            LincheckRun.class.getName(),
            fault.name(),
            String.valueOf(executions),
            "0");

    assertThat(result.code())
        .as(result.text())
        .isEqualTo(fault == Fault.NONE ? 0 : LincheckRun.FOUND);
  }
}
