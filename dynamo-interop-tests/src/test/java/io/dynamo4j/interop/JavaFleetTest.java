// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.model.FinishReason;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.discovery.ModelFolder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Java workers and a Java gateway that know of each other by files and speak over sockets. */
class JavaFleetTest {
  @TempDir Path root;

  private static List<Integer> counted(int from, int count) {
    return IntStream.range(from, from + count).map(i -> 1_000 + i % 1_000).boxed().toList();
  }

  @Test
  void shouldStreamFromWorkersFoundThroughFiles() throws Exception {
    try (JavaWorker first = new JavaWorker(root, 1, ModelFolder.none());
        JavaWorker second = new JavaWorker(root, -2, ModelFolder.none());
        FileGateway gateway = new FileGateway(root)) {
      gateway.awaitWorkers(2);
      List<Answer> answers = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        answers.add(Answer.of(gateway.migrate(FileGateway.request(30))));
      }
      for (Answer answer : answers) {
        assertThat(answer.awaitEnd()).isNull();
        assertThat(answer.tokens()).isEqualTo(counted(48, 30));
        assertThat(answer.finishReasons()).containsExactly(FinishReason.LENGTH);
      }
      assertThat(first.requestCount()).isEqualTo(10);
      assertThat(second.requestCount()).isEqualTo(10);
      assertThat(first.ranks())
          .containsExactly(new WorkerWithDpRank(1, 0), new WorkerWithDpRank(1, 1));
    }
  }

  @Test
  void shouldContinueElsewhereWhenWorkerDiesInMidStream() throws Exception {
    try (JavaWorker dying = new JavaWorker(root, 1, ModelFolder.none());
        JavaWorker healthy = new JavaWorker(root, 2, ModelFolder.none());
        FileGateway gateway = new FileGateway(root)) {
      dying.stopAfterFirstToken();
      gateway.awaitWorkers(2);
      List<Answer> answers = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        answers.add(Answer.of(gateway.migrate(FileGateway.request(300))));
      }
      for (Answer answer : answers) {
        answer.awaitFirstItem();
      }
      dying.crash();
      for (Answer answer : answers) {
        assertThat(answer.awaitEnd()).isNull();
        assertThat(answer.tokens()).isEqualTo(counted(48, 300));
      }
      assertThat(healthy.requestCount()).isEqualTo(8);
    }
  }

  @Test
  void shouldTellWorkerOfCancel() throws Exception {
    try (JavaWorker worker = new JavaWorker(root, 1, ModelFolder.none());
        FileGateway gateway = new FileGateway(root)) {
      gateway.awaitWorkers(1);
      Answer answer = Answer.of(gateway.migrate(FileGateway.request(1_000_000)));
      answer.awaitFirstItem();
      answer.cancel();
      Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> worker.cancelCount() == 1);
      assertThat(answer.hasEnded()).isFalse();
    }
  }
}
