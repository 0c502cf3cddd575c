// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.interop;

import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.model.RoutingHints;
import io.dynamo4j.core.model.StopConditions;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.kvrouter.KvDispatcher;
import io.dynamo4j.kvrouter.KvRouter;
import io.dynamo4j.kvrouter.LeaseConfig;
import io.dynamo4j.plane.Attempt;
import io.dynamo4j.plane.PlaneSelection;
import io.dynamo4j.plane.RequestDispatcher;
import io.dynamo4j.plane.WorkerInstance;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** A Java router that shares its bookings with the other routers of a fleet. */
final class JavaRouter implements AutoCloseable {
  private final KvFollower follower;
  private final KvRouter router;
  private final RequestDispatcher<PreprocessedRequest, LLMEngineOutput> dispatcher;

  /**
   * Starts.
   *
   * @param expiry when bookings of silent routers end
   */
  JavaRouter(Path root, PlaneSelection planes, Map<String, String> variables, Duration expiry) {
    follower = new KvFollower(root, planes, variables);
    router =
        KvRouter.builder()
            .environment(follower.environment())
            .directory(follower.discovery().workers())
            .indexer(follower.indexer())
            .replicaSync(follower.events(), KvFollower.GENERATE)
            .leases(
                LeaseConfig.builder()
                    .routerLease(Duration.ofSeconds(6))
                    .activeRequestExpiry(expiry)
                    // Over NATS Dynamo reads one event a message.
                    .eventsPerMessage(planes.needsNats() ? 1 : 256)
                    .build())
            .build();
    dispatcher = KvDispatcher.builder().router(router).requestPlane(follower.requests()).build();
  }

  KvFollower follower() {
    return follower;
  }

  /** Sends a prompt of 64 tokens of its own to one worker. */
  Answer send(String id, long workerId, int maxTokens) {
    int[] prompt = new int[64];
    for (int i = 0; i < prompt.length; i++) {
      prompt[i] = 300 + (id.hashCode() + i * 7 & 0x1ff);
    }
    PreprocessedRequest request =
        PreprocessedRequest.builder(id, TokenSlice.wrap(prompt))
            .model("tiny")
            .routing(RoutingHints.builder().pinnedWorkerId(workerId).build())
            .stopConditions(StopConditions.builder().maxTokens(maxTokens).ignoreEos(true).build())
            .build();
    Attempt attempt = Attempt.builder(id, follower.environment().lanes().lane("client")).build();
    return Answer.of(dispatcher.dispatch(request, attempt));
  }

  /** Returns how many other routers have been heard of. */
  int peers() {
    return router.replicaSync().routers();
  }

  /** Returns the requests booked on each worker, by whichever router. */
  SortedMap<Long, Integer> requests() {
    SortedMap<Long, Integer> requests = new TreeMap<>();
    for (WorkerInstance worker : follower.discovery().workers().instances()) {
      int sum = 0;
      for (int index = 0; index < worker.dpSize(); index++) {
        sum += router.load(worker.rank(index)).requests();
      }
      requests.put(worker.workerId(), sum);
    }
    return requests;
  }

  /** Goes without a word, as a process that is killed. */
  void crash() {
    follower.lose(true);
    follower.close();
  }

  @Override
  public void close() {
    router.close();
    follower.close();
  }
}
