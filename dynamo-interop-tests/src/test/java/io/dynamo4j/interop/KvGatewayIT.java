// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.model.StopConditions;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.examples.gateway.DynamoGateway;
import io.dynamo4j.indexer.Readiness;
import io.dynamo4j.plane.Attempt;
import io.dynamo4j.plane.AttemptListener;
import io.dynamo4j.plane.EventScope;
import io.dynamo4j.plane.PlaneSelection;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The gateway of the examples in front of real Dynamo 1.6.1 workers. */
class KvGatewayIT {
  private static final int CONVERSATIONS = 12;
  private static final int BLOCKS = 8;
  private static final int BLOCK_SIZE = 16;

  @TempDir Path work;

  private static DynamoGateway join(Fleet fleet, PlaneSelection planes) {
    DynamoGateway gateway =
        DynamoGateway.join(
            planes,
            fleet.variables(),
            fleet.root(),
            new EventScope.Endpoint("dynamo", "backend", "generate"),
            BLOCK_SIZE);
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> gateway.workers().instances().size() == 3);
    return gateway;
  }

  private static int[] prompt(int conversation, int blocks) {
    int[] prompt = new int[blocks * BLOCK_SIZE];
    for (int i = 0; i < prompt.length; i++) {
      prompt[i] = 300 + (conversation * 131 + i * 7) % 600;
    }
    return prompt;
  }

  /** Asks once and returns who was chosen. */
  private static WorkerWithDpRank ask(DynamoGateway gateway, String id, int[] prompt)
      throws Exception {
    PreprocessedRequest request =
        PreprocessedRequest.builder(id, TokenSlice.wrap(prompt))
            .model("tiny")
            .stopConditions(StopConditions.builder().maxTokens(8).ignoreEos(true).build())
            .build();
    CompletableFuture<WorkerWithDpRank> chosen = new CompletableFuture<>();
    Attempt attempt =
        Attempt.builder(id, gateway.environment().lanes().lane("client"))
            .listener(
                new AttemptListener() {
                  @Override
                  public void workerChosen(WorkerWithDpRank worker) {
                    chosen.complete(worker);
                  }

                  @Override
                  public void streamOpened() {}
                })
            .build();
    Answer answer = Answer.of(gateway.dispatcher().dispatch(request, attempt));
    assertThat(answer.awaitEnd()).isNull();
    assertThat(answer.tokens()).hasSize(8);
    return chosen.get(60, TimeUnit.SECONDS);
  }

  private static List<WorkerWithDpRank> turn(DynamoGateway gateway, int number, int blocks)
      throws Exception {
    List<WorkerWithDpRank> chosen = new ArrayList<>();
    for (int i = 0; i < CONVERSATIONS; i++) {
      chosen.add(ask(gateway, "turn-" + number + "-" + i, prompt(i, blocks)));
    }
    return chosen;
  }

  @ParameterizedTest
  @CsvSource({"zmq, tcp", "nats, tcp", "zmq, nats", "nats, nats"})
  void shouldSendSecondTurnToWhoHoldsTheFirstAndRestoreThatAfterRestart(
      String events, String requests) throws Exception {
    PlaneSelection planes =
        PlaneSelection.builder().events(events, "fleet").requests(requests, "fleet").build();
    String[] options = {
      "--workers", "3", "--dp", "2", "--event-plane", events, "--request-plane", requests
    };
    try (Fleet fleet = Fleet.start(work, options)) {
      List<WorkerWithDpRank> first;
      try (DynamoGateway gateway = join(fleet, planes)) {
        first = turn(gateway, 1, BLOCKS);
        assertThat(new TreeSet<>(first)).hasSizeGreaterThan(2);
        Awaitility.await()
            .atMost(Duration.ofSeconds(60))
            .until(() -> gateway.knownBlocks() >= CONVERSATIONS * BLOCKS);
        assertThat(turn(gateway, 2, BLOCKS + 1)).isEqualTo(first);
      }
      // A gateway that starts now asks the workers for what they hold.
      try (DynamoGateway gateway = join(fleet, planes)) {
        Readiness readiness = gateway.whenReady().toCompletableFuture().get(60, TimeUnit.SECONDS);
        assertThat(readiness.state()).isEqualTo(Readiness.State.READY);
        Awaitility.await()
            .atMost(Duration.ofSeconds(60))
            .until(() -> gateway.knownBlocks() >= CONVERSATIONS * (BLOCKS + 1));
        assertThat(turn(gateway, 3, BLOCKS + 2)).isEqualTo(first);
      }
    }
  }
}
