// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.nats;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.testing.ForkedJvm;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Snapshots pass through in pieces: memory does not grow with them. */
@Tag("slow")
@ExtendWith(JetStreamExtension.class)
class SnapshotMemoryTest {
  @TempDir Path folder;

  /** 64 MiB through a heap of 32. */
  @Test
  void shouldStoreAndFetchSnapshotThatIsLargerThanTheHeap(NatsServer server) throws Exception {
    String said =
        ForkedJvm.run(
                folder,
                List.of("-Xmx32m", "-XX:+UseSerialGC"),
                SnapshotMemoryMain.class.getName(),
                server.url())
            .text();
    assertThat(said).contains("equal=true");
  }
}
