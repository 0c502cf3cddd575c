// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.runtime.RandomSource;
import io.dynamo4j.plane.WorkerInstance;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What an index holds after its fleet has been through much: what the workers say they hold. Caches
 * of 64 blocks a rank, so that they evict all the time.
 */
class ChurnIT {
  private static final String[] SMALL = {"--workers", "3", "--dp", "2", "--gpu-blocks", "64"};

  @TempDir Path work;

  private final RandomSource random = RandomSource.seeded(7);
  private int requests;

  @Test
  void shouldHoldWhatWorkersHoldAfterTheyCameAndWent() throws Exception {
    try (Fleet fleet = Fleet.start(work, SMALL);
        KvFollower follower = new KvFollower(fleet.root())) {
      follower.awaitWorkers(3);
      serve(follower, 60);
      follower.awaitEqualToDumps();

      List<Answer> underWay = start(follower, 60);
      fleet.worker("kill", 0); // between two batches of its publisher, or within one
      finish(underWay);
      follower.awaitWorkers(2);
      follower.awaitEqualToDumps();

      underWay = start(follower, 40);
      fleet.worker("stop", 1);
      fleet.addWorker();
      fleet.worker("cont", 1);
      finish(underWay);
      follower.awaitWorkers(3);
      serve(follower, 40);
      follower.awaitEqualToDumps();

      underWay = start(follower, 40);
      fleet.worker("term", 2);
      finish(underWay);
      follower.awaitWorkers(2);
      serve(follower, 40);
      follower.awaitEqualToDumps();
    }
  }

  @Test
  void shouldHoldWhatWorkersHoldAfterTheWholeFleetStartedAnew() throws Exception {
    Path root = work.resolve("kv"); // of both fleets
    try (KvFollower follower = new KvFollower(root)) {
      serveAnew(follower, root);
      follower.awaitWorkers(0);
      serveAnew(follower, root);
    }
  }

  private void serveAnew(KvFollower follower, Path root) throws Exception {
    try (Fleet fleet = Fleet.start(work, SMALL)) {
      assertThat(fleet.root()).isEqualTo(root);
      follower.awaitWorkers(3);
      serve(follower, 60);
      follower.awaitEqualToDumps();
    }
  }

  @Test
  void shouldHoldWhatWorkersHoldAfterTheLastEventsWereLost() throws Exception {
    try (Fleet fleet = Fleet.start(work, SMALL);
        KvFollower follower = new KvFollower(fleet.root())) {
      follower.awaitWorkers(3);
      serve(follower, 60);
      follower.awaitEqualToDumps();
      follower.lose(true);
      serve(follower, 60);
      assertThat(follower.lost()).isPositive();
      assertThat(follower.held()).isNotEqualTo(follower.dumped());
      follower.lose(false);
      follower.awaitEqualToDumps(); // nothing more comes: silence makes it ask
    }
  }

  private void serve(KvFollower follower, int count) throws Exception {
    for (Answer answer : start(follower, count)) {
      assertThat(answer.awaitEnd()).isNull();
    }
  }

  /** Sends prompts of a few conversations to workers by chance. */
  private List<Answer> start(KvFollower follower, int count) {
    List<Answer> answers = new ArrayList<>();
    List<WorkerInstance> workers = follower.discovery().workers().instances();
    for (int i = 0; i < count; i++) {
      int conversation = random.nextInt(20);
      int[] prompt = new int[(1 + random.nextInt(12)) * KvFollower.BLOCK_SIZE];
      Arrays.setAll(prompt, at -> 300 + (conversation * 131 + at * 7) % 600);
      WorkerInstance worker = workers.get(random.nextInt(workers.size()));
      answers.add(follower.send(worker, "churn-" + requests++, prompt, 40));
    }
    return answers;
  }

  /** Waits for the end of streams, some of which fail with their worker. */
  private static void finish(List<Answer> answers) throws Exception {
    for (Answer answer : answers) {
      answer.awaitEnd();
    }
  }
}
