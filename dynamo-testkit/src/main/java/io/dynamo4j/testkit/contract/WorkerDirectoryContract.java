// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.plane.Address;
import io.dynamo4j.plane.Subscription;
import io.dynamo4j.plane.WorkerDirectory;
import io.dynamo4j.plane.WorkerInstance;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * What every {@link WorkerDirectory} must do with registrations, however it learns of them. Each
 * test makes its own lanes and directory.
 */
public abstract class WorkerDirectoryContract {
  private static final WorkerInstance LAST = worker(-1, 0);

  /** Returns fresh lanes; closed by the test. */
  protected abstract LaneHarness newHarness();

  /** Returns a fresh directory and the way to write to it. */
  protected abstract Registry newRegistry(Environment environment);

  /** Returns how long the directory may take to do something that it should not; default 5 ms. */
  protected long settleNanos() {
    return 5_000_000;
  }

  /** A directory and whatever its workers register through. */
  public interface Registry {
    WorkerDirectory directory();

    void register(WorkerInstance instance);

    void unregister(long workerId);
  }

  private static WorkerInstance worker(long id, long incarnation) {
    return WorkerInstance.builder(id, new Address("test", Long.toUnsignedString(id)))
        .incarnation(incarnation)
        .build();
  }

  // snapshots

  @Test
  public void shouldListInstancesByUnsignedWorkerId() {
    try (Run run = new Run()) {
      run.watchUntilAdded(5, -2, 1, Long.MAX_VALUE, 0, Long.MIN_VALUE);
      assertThat(run.ids()).containsExactly(0L, 1L, 5L, Long.MAX_VALUE, Long.MIN_VALUE, -2L);
    }
  }

  @Test
  public void shouldKeepSnapshotAsItWas() {
    try (Run run = new Run()) {
      run.watchUntilAdded(1, 2);
      List<WorkerInstance> before = run.directory().instances();
      run.registry.unregister(1);
      run.registry.register(LAST);
      run.await(run.watch.reported("+" + name(LAST)));
      assertThat(before).extracting(WorkerInstance::workerId).containsExactly(1L, 2L);
      assertThat(run.ids()).containsExactly(2L, -1L);
      assertThatThrownBy(() -> before.remove(0)).isInstanceOf(UnsupportedOperationException.class);
    }
  }

  @Test
  public void shouldReplaceRecordOfOneWorker() {
    try (Run run = new Run()) {
      run.watchUntilAdded(1);
      run.registry.register(worker(1, 7));
      run.await(run.watch.reported("+1#7"));
      assertThat(run.directory().instances()).hasSize(1);
      assertThat(run.directory().instances().get(0).incarnation()).isEqualTo(7);
      assertThat(run.watch.reports()).containsExactly("+1#0", "+1#7");
    }
  }

  @Test
  public void shouldIgnoreRemovalOfUnknownWorker() {
    try (Run run = new Run()) {
      run.watchUntilAdded(1);
      run.registry.unregister(2);
      run.registry.register(LAST);
      run.await(run.watch.reported("+" + name(LAST)));
      assertThat(run.watch.reports()).containsExactly("+1#0", "+" + name(LAST));
    }
  }

  // watches

  @Test
  public void shouldReplayWhatIsRegisteredThenReportChangesInOrder() {
    try (Run run = new Run()) {
      run.watchUntilAdded(3, -4, 2);
      Watch late = run.watch();
      run.await(late.reported("+" + name(worker(-4, 0))));
      run.registry.unregister(2);
      run.registry.register(worker(2, 1));
      run.registry.register(worker(3, 1));
      run.registry.unregister(3);
      run.registry.register(LAST);
      run.await(late.reported("+" + name(LAST)));
      assertThat(late.reports())
          .containsExactly(
              "+2#0",
              "+3#0",
              "+" + name(worker(-4, 0)),
              "-2#0",
              "+2#1",
              "+3#1",
              "-3#1",
              "+" + name(LAST));
    }
  }

  @Test
  public void shouldReportToEveryWatch() {
    try (Run run = new Run()) {
      Watch other = run.watch();
      run.watchUntilAdded(1, 2);
      run.registry.unregister(1);
      run.await(run.watch.reported("-1#0"));
      run.await(other.reported("-1#0"));
      assertThat(other.reports()).containsExactly("+1#0", "+2#0", "-1#0");
    }
  }

  @Test
  public void shouldReportNothingAfterClose() {
    try (Run run = new Run()) {
      Watch closing = run.watch(Watch::closeAtFirstReport);
      run.watchUntilAdded(1, 2, 3);
      run.settle();
      assertThat(closing.reports()).containsExactly("+1#0");
      closing.close();
    }
  }

  @Test
  public void shouldStopReplayWhenClosedInside() {
    try (Run run = new Run()) {
      run.watchUntilAdded(1, 2, 3);
      Watch closing = run.watch(Watch::closeAtFirstReport);
      run.settle();
      assertThat(closing.reports()).containsExactly("+1#0");
    }
  }

  @Test
  public void shouldLoseOneReportOnlyWhenListenerThrows() {
    try (Run run = new Run()) {
      Watch throwing = run.watch(watch -> watch.throwAt("+2#0"));
      run.watchUntilAdded(1, 2, 3);
      run.await(throwing.reported("+3#0"));
      assertThat(throwing.reports()).containsExactly("+1#0", "+2#0", "+3#0");
      assertThat(throwing.lane.failures()).hasSize(1);
    }
  }

  @Test
  public void shouldNeverReportInline() {
    try (Run run = new Run()) {
      run.watchUntilAdded(1);
      run.watch.lane.execute(() -> run.watch.call(() -> run.registry.register(worker(2, 0))));
      run.await(run.watch.reported("+2#0"));
      run.watch.call(() -> run.registry.register(worker(3, 0)));
      run.await(run.watch.reported("+3#0"));
    }
  }

  @Test
  public void shouldAgreeWithSnapshotWhenSeveralLanesRegister() {
    try (Run run = new Run()) {
      Watch early = run.watch();
      List<CompletableFuture<Void>> done = new ArrayList<>();
      for (int lane = 0; lane < 4; lane++) {
        done.add(run.churn(run.harness.lanes().lane("writer-" + lane), lane));
      }
      Watch during = run.watch();
      done.forEach(run::await);
      run.registry.register(LAST);
      run.await(early.reported("+" + name(LAST)));
      run.await(during.reported("+" + name(LAST)));
      List<String> expected =
          run.directory().instances().stream().map(WorkerDirectoryContract::name).toList();
      assertThat(early.state()).isEqualTo(expected);
      assertThat(during.state()).isEqualTo(expected);
    }
  }

  private static String name(WorkerInstance instance) {
    return Long.toUnsignedString(instance.workerId()) + "#" + instance.incarnation();
  }

  private final class Run implements AutoCloseable {
    final LaneHarness harness = newHarness();
    final Registry registry = newRegistry(RequestPlaneRun.environment(harness));
    private final List<Watch> watches = new ArrayList<>();
    final Watch watch = watch();

    WorkerDirectory directory() {
      return registry.directory();
    }

    Watch watch() {
      return watch(watch -> {});
    }

    /** Watches with a listener of this shape; nothing is reported before the handle is there. */
    Watch watch(Consumer<Watch> shape) {
      Watch watch = new Watch(ProbeLane.over(harness.lanes().lane("watch-" + watches.size())));
      shape.accept(watch);
      watch.lane.hold();
      watch.call(() -> watch.subscription = directory().watch(watch.lane, watch));
      watch.lane.release();
      watches.add(watch);
      return watch;
    }

    /** Registers workers of incarnation 0 and waits until the first watch has them all. */
    void watchUntilAdded(long... workerIds) {
      for (long id : workerIds) {
        registry.register(worker(id, 0));
      }
      for (long id : workerIds) {
        await(watch.reported("+" + name(worker(id, 0))));
      }
    }

    long[] ids() {
      return directory().instances().stream().mapToLong(WorkerInstance::workerId).toArray();
    }

    CompletableFuture<Void> churn(Scheduler lane, int writer) {
      CompletableFuture<Void> done = new CompletableFuture<>();
      for (int i = 0; i < 50; i++) {
        int step = i;
        lane.execute(
            () -> {
              long id = (writer * 7L + step * 3L) % 10;
              if (step % 3 == 2) {
                registry.unregister(id);
              } else {
                registry.register(worker(id, writer * 100L + step));
              }
            });
      }
      lane.execute(() -> done.complete(null));
      return done;
    }

    void await(CompletionStage<?> stage) {
      harness.await(stage);
    }

    void settle() {
      RequestPlaneRun.settle(harness, harness.lanes().lane("settle"), settleNanos());
    }

    @Override
    public void close() {
      try {
        for (Watch each : watches) {
          assertThat(each.violations).as("breaches").isEmpty();
        }
      } finally {
        watches.forEach(Watch::close);
        harness.close();
      }
    }
  }

  /** A listener that keeps reports as {@code +id#incarnation} and {@code -id#incarnation}. */
  private static final class Watch implements WorkerDirectory.Listener {
    final ProbeLane lane;
    final List<String> violations = new CopyOnWriteArrayList<>();
    private final List<String> reports = new CopyOnWriteArrayList<>();
    private final TreeMap<WorkerWithDpRank, WorkerInstance> state = new TreeMap<>();
    private final TreeMap<String, CompletableFuture<Void>> awaited = new TreeMap<>();
    private volatile @Nullable Subscription subscription;
    private volatile @Nullable Thread calling;
    private volatile boolean closeAtFirst;
    private volatile @Nullable String throwAt;

    Watch(ProbeLane lane) {
      this.lane = lane;
    }

    void closeAtFirstReport() {
      closeAtFirst = true;
    }

    void throwAt(String report) {
      throwAt = report;
    }

    void call(Runnable call) {
      calling = Thread.currentThread();
      try {
        call.run();
      } finally {
        calling = null;
      }
    }

    void close() {
      Subscription open = subscription;
      if (open != null) {
        open.close();
      }
    }

    @Override
    public void added(WorkerInstance instance) {
      state.put(WorkerWithDpRank.of(instance.workerId()), instance);
      report("+" + name(instance));
    }

    @Override
    public void removed(WorkerInstance instance) {
      state.remove(WorkerWithDpRank.of(instance.workerId()));
      report("-" + name(instance));
    }

    private void report(String report) {
      if (!lane.isCurrent()) {
        violations.add("report outside of the watch's lane: " + report);
      }
      if (calling == Thread.currentThread()) {
        violations.add("report inline: " + report);
      }
      reports.add(report);
      CompletableFuture<Void> waiting = awaited.get(report);
      if (waiting != null) {
        waiting.complete(null);
      }
      if (closeAtFirst) {
        close();
      }
      if (report.equals(throwAt)) {
        throw new StreamProbe.PlannedException();
      }
    }

    /** Completes once this was reported. */
    CompletionStage<Void> reported(String report) {
      CompletableFuture<Void> future = new CompletableFuture<>();
      lane.execute(
          () -> {
            if (reports.contains(report)) {
              future.complete(null);
            } else {
              awaited.put(report, future);
            }
          });
      return future;
    }

    List<String> reports() {
      return List.copyOf(reports);
    }

    /** What the reports add up to; read when nothing is under way. */
    List<String> state() {
      return state.values().stream().map(WorkerDirectoryContract::name).toList();
    }
  }
}
