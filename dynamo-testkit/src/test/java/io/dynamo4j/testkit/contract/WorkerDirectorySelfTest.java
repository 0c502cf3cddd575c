// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.plane.Subscription;
import io.dynamo4j.plane.WorkerDirectory;
import io.dynamo4j.plane.WorkerInstance;
import io.dynamo4j.testkit.simulation.Simulation;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** The contract passes the right directory and catches a planted wrong one of each kind. */
class WorkerDirectorySelfTest {

  @Test
  void shouldPassTheRightDirectoryThroughTheSameMachinery() {
    assertThat(failuresOf(Forwarding::new)).isEmpty();
  }

  @Test
  void shouldCatchSignedOrder() {
    assertThat(failuresOf(SignedOrder::new)).contains("shouldListInstancesByUnsignedWorkerId");
  }

  @Test
  void shouldCatchWatchWithoutReplay() {
    assertThat(failuresOf(right -> new OverListener(right, WithoutReplay::new)))
        .contains("shouldReplayWhatIsRegisteredThenReportChangesInOrder");
  }

  @Test
  void shouldCatchRemovalThatIsNotReported() {
    assertThat(failuresOf(right -> new OverListener(right, WithoutRemoval::new)))
        .contains("shouldReportToEveryWatch", "shouldAgreeWithSnapshotWhenSeveralLanesRegister");
  }

  @Test
  void shouldCatchReplacementReportedAsRemoval() {
    assertThat(failuresOf(right -> new OverListener(right, RemovedFirst::new)))
        .contains("shouldReplaceRecordOfOneWorker");
  }

  @Test
  void shouldCatchWatchThatStaysOpen() {
    assertThat(failuresOf(Unclosable::new)).contains("shouldReportNothingAfterClose");
  }

  private static Set<String> failuresOf(UnaryOperator<WorkerDirectory> wrong) {
    return ContractRun.failures(
            WorkerDirectoryContract.class,
            () ->
                new WorkerDirectoryContract() {
                  @Override
                  protected LaneHarness newHarness() {
                    return SimulatedLaneHarness.over(Simulation.builder().seed(5).build());
                  }

                  @Override
                  protected Registry newRegistry(Environment environment) {
                    InMemoryRegistry registry = new InMemoryRegistry();
                    WorkerDirectory directory = wrong.apply(registry.directory());
                    return new Registry() {
                      @Override
                      public WorkerDirectory directory() {
                        return directory;
                      }

                      @Override
                      public void register(WorkerInstance instance) {
                        registry.register(instance);
                      }

                      @Override
                      public void unregister(long workerId) {
                        registry.unregister(workerId);
                      }
                    };
                  }
                })
        .keySet();
  }

  private static class Forwarding implements WorkerDirectory {
    final WorkerDirectory right;

    Forwarding(WorkerDirectory right) {
      this.right = right;
    }

    @Override
    public List<WorkerInstance> instances() {
      return right.instances();
    }

    @Override
    public Subscription watch(Scheduler lane, Listener listener) {
      return right.watch(lane, listener);
    }
  }

  private static final class SignedOrder extends Forwarding {
    SignedOrder(WorkerDirectory right) {
      super(right);
    }

    @Override
    public List<WorkerInstance> instances() {
      return super.instances().stream()
          .sorted(Comparator.comparingLong(WorkerInstance::workerId))
          .toList();
    }
  }

  private static final class Unclosable extends Forwarding {
    Unclosable(WorkerDirectory right) {
      super(right);
    }

    @Override
    public Subscription watch(Scheduler lane, Listener listener) {
      super.watch(lane, listener);
      return () -> {};
    }
  }

  private static final class OverListener extends Forwarding {
    private final UnaryOperator<Listener> change;

    OverListener(WorkerDirectory right, UnaryOperator<Listener> change) {
      super(right);
      this.change = change;
    }

    @Override
    public Subscription watch(Scheduler lane, Listener listener) {
      Listener changed = change.apply(listener);
      if (changed instanceof WithoutReplay skipping) {
        skipping.skip = right.instances().size();
      }
      return super.watch(lane, changed);
    }
  }

  private static class Listening implements WorkerDirectory.Listener {
    final WorkerDirectory.Listener right;

    Listening(WorkerDirectory.Listener right) {
      this.right = right;
    }

    @Override
    public void added(WorkerInstance instance) {
      right.added(instance);
    }

    @Override
    public void removed(WorkerInstance instance) {
      right.removed(instance);
    }
  }

  private static final class WithoutReplay extends Listening {
    private int skip;

    WithoutReplay(WorkerDirectory.Listener right) {
      super(right);
    }

    @Override
    public void added(WorkerInstance instance) {
      if (--skip < 0) {
        super.added(instance);
      }
    }
  }

  private static final class WithoutRemoval extends Listening {
    WithoutRemoval(WorkerDirectory.Listener right) {
      super(right);
    }

    @Override
    public void removed(WorkerInstance instance) {}
  }

  private static final class RemovedFirst extends Listening {
    private final List<WorkerInstance> known = new ArrayList<>();

    RemovedFirst(WorkerDirectory.Listener right) {
      super(right);
    }

    @Override
    public void added(WorkerInstance instance) {
      for (WorkerInstance before : List.copyOf(known)) {
        if (before.workerId() == instance.workerId()) {
          known.remove(before);
          super.removed(before);
        }
      }
      known.add(instance);
      super.added(instance);
    }
  }
}
