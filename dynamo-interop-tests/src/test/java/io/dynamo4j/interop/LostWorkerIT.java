// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.model.FinishReason;
import io.dynamo4j.transport.tcp.TcpOptions;
import io.dynamo4j.transport.tcp.TcpPhase;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real workers that go in mid-stream, each in its way. */
class LostWorkerIT {
  private static final int STREAMS = 9;
  private static final int TOKENS = 200;

  /** Much more than a token takes, less than the time after which a record is old. */
  private static final Duration SILENCE = Duration.ofSeconds(8);

  /** Where silence is not what tells. */
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @TempDir Path work;

  @Test
  void shouldContinueElsewhereAndAvoidAWorkerThatWasKilled() throws Exception {
    lose("kill", PATIENCE);
  }

  @Test
  void shouldContinueElsewhereAndAvoidAWorkerThatStandsStill() throws Exception {
    lose("stop", SILENCE);
  }

  @Test
  void shouldFinishOnAWorkerThatIsTerminatedAndAvoidIt() throws Exception {
    lose("term", PATIENCE);
  }

  private void lose(String how, Duration silence) throws Exception {
    TcpOptions options =
        TcpOptions.builder()
            .bound(TcpPhase.ACK, silence)
            .bound(TcpPhase.FIRST_ITEM, silence)
            .bound(TcpPhase.NEXT_ITEM, silence)
            .build();
    try (Fleet fleet = Fleet.start(work, "--workers", "3", "--speedup", "1");
        FileGateway gateway = FileGateway.guarded(fleet.root(), options)) {
      gateway.awaitWorkers(3);
      List<Answer> answers = new ArrayList<>();
      for (int i = 0; i < STREAMS; i++) {
        answers.add(Answer.of(gateway.migrate(FileGateway.request(TOKENS))));
      }
      for (Answer answer : answers) {
        answer.awaitFirstItem();
      }
      long lost = fleet.workerId(0);
      assertThat(gateway.sends()).hasSize(STREAMS).contains(lost);
      fleet.worker(how, 0);
      answers.forEach(LostWorkerIT::requireWhole);
      assertThat(gateway.sends()).filteredOn(worker -> worker == lost).hasSize(STREAMS / 3);

      if (how.equals("term")) {
        // Its record goes when it has been told to; until then it may be chosen and refuses.
        Awaitility.await()
            .atMost(PATIENCE)
            .until(() -> gateway.discovery().workers().instances().size() == 2);
      }
      int before = gateway.sends().size();
      for (int i = 0; i < 2 * STREAMS; i++) {
        requireWhole(Answer.of(gateway.migrate(FileGateway.request(3))));
      }
      assertThat(gateway.sends().subList(before, gateway.sends().size()))
          .hasSize(2 * STREAMS)
          .doesNotContain(lost);
    }
  }

  private static void requireWhole(Answer answer) {
    try {
      assertThat(answer.awaitEnd()).isNull();
    } catch (Exception e) {
      throw new AssertionError("stream did not end", e);
    }
    assertThat(answer.tokens().size()).isIn(3, TOKENS);
    assertThat(answer.finishReasons()).containsExactly(FinishReason.LENGTH);
  }
}
