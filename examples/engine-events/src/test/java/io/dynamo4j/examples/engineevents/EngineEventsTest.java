// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.examples.engineevents;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.RealEnvironment;
import io.dynamo4j.indexer.KvIndexer;
import io.dynamo4j.wire.EngineBatchWriter;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class EngineEventsTest {

  @Test
  void shouldFindWhatTheEngineHasPublished() throws Exception {
    PrintStream before = System.out;
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    System.setOut(new PrintStream(printed, true, UTF_8));
    try {
      EngineEvents.main(new String[0]);
    } finally {
      System.setOut(before);
    }
    assertThat(printed.toString(UTF_8)).contains("has 2 blocks");
  }

  @Test
  void shouldForgetARestartedEngineAndMarkALoss() throws Exception {
    try (RealEnvironment lanes = RealEnvironment.create();
        KvIndexer index =
            KvIndexer.builder()
                .environment(lanes.environment())
                .blockSize(2)
                .useKvEvents(true)
                .build()) {
      IndexedEngine engine = IndexedEngine.of(1, index);
      engine.batch(
          0,
          0,
          EngineBatchWriter.create(0).storedRoot(new long[] {5}, new int[] {1, 2}, 2).toBytes(0));
      engine.lost(0, 1, 2);
      assertThat(index.isStale(new WorkerWithDpRank(1, 0))).isTrue();
      flush(index);
      assertThat(index.status().blocks()).isEqualTo(1);
      engine.restarted(0);
      flush(index);
      assertThat(index.status().blocks()).isZero();
    }
  }

  private static void flush(KvIndexer index) throws Exception {
    index.flush().toCompletableFuture().get(30, TimeUnit.SECONDS);
  }
}
