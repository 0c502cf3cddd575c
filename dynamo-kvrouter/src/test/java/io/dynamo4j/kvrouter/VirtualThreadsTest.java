// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import static io.dynamo4j.kvrouter.RouterFixture.tokens;
import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.runtime.RealEnvironment;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.io.TempDir;

/** Field report I17: a host calls a router from ten thousand virtual threads at once. */
@EnabledForJreRange(min = JRE.JAVA_21)
class VirtualThreadsTest {
  private static final int REQUESTS = 10_000;
  private static final Duration LONGEST_PIN = Duration.ofMillis(20);
  private static final long TIMEOUT_SECONDS = 60;

  private final RouterFixture fixture = new RouterFixture(8);

  /** This is compiled for a JDK that has none. */
  private static ExecutorService virtualThreads() throws ReflectiveOperationException {
    return (ExecutorService)
        Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
  }

  private static void request(KvRouter router, int number) throws Exception {
    SchedulingRequest request =
        SchedulingRequest.builder("r" + number, tokens(number % 64 * 1_000, 64)).build();
    try (RequestLease lease =
        router.select(request).toCompletableFuture().get(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
      lease.markPrefillCompleted();
      lease.addOutputTokens(16);
    }
  }

  @Test
  void shouldPinNoCarrierThread(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("pins.jfr");
    try (RealEnvironment environment = RealEnvironment.create();
        KvRouter router =
            fixture
                .builder()
                .environment(environment.environment())
                .queue(QueueConfig.ofThreshold(0.000_01, QueuePolicy.FCFS))
                .build();
        Recording recording = new Recording()) {
      ExecutorService threads = virtualThreads();
      recording.enable("jdk.VirtualThreadPinned").withThreshold(LONGEST_PIN);
      recording.start();
      List<Future<?>> requests = new ArrayList<>();
      for (int i = 0; i < REQUESTS; i++) {
        int number = i;
        requests.add(
            threads.submit(
                () -> {
                  request(router, number);
                  return number;
                }));
      }
      for (Future<?> each : requests) {
        each.get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
      }
      threads.shutdown();
      recording.stop();
      recording.dump(file);

      assertThat(router.bookingCount()).isZero();
      assertThat(router.queueStatus().requests()).isZero();
    }
    assertThat(pinsOfOurs(file)).isEmpty();
  }

  private static List<RecordedEvent> pinsOfOurs(Path file) throws IOException {
    return RecordingFile.readAllEvents(file).stream()
        .filter(event -> event.getStackTrace() != null)
        .filter(
            event ->
                event.getStackTrace().getFrames().stream()
                    .map(frame -> frame.getMethod().getType().getName())
                    .anyMatch(
                        type ->
                            type.startsWith("io.dynamo4j.")
                                && !type.startsWith(VirtualThreadsTest.class.getName())))
        .toList();
  }
}
