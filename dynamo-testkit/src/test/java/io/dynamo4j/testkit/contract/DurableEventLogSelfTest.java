// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.plane.DurableEventLog;
import io.dynamo4j.plane.DurableLogException;
import io.dynamo4j.plane.LogConsumerFacts;
import io.dynamo4j.plane.LogEntry;
import io.dynamo4j.plane.LogFacts;
import io.dynamo4j.plane.LogListener;
import io.dynamo4j.plane.LogSubscription;
import io.dynamo4j.plane.SnapshotCopy;
import io.dynamo4j.plane.SnapshotStore;
import io.dynamo4j.plane.SnapshotUpload;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** The contracts of storage pass the right ones and catch a planted wrong one of each kind. */
class DurableEventLogSelfTest {

  @Test
  void shouldPassTheRightLogThroughTheSameMachinery() {
    assertThat(failuresOf(Forwarding::new)).isEmpty();
  }

  @Test
  void shouldCatchRepetitionsThatAreKept() {
    assertThat(failuresOf(Repeating::new)).contains("shouldKeepOnlyTheFirstOfOneMessageId");
  }

  @Test
  void shouldCatchDeliveryOutsideOfTheLane() {
    assertThat(failuresOf(Inline::new)).contains("shouldDeliverInOrderOnTheLaneAfterReady");
  }

  @Test
  void shouldCatchReaderThatAlwaysBeginsAtTheOldest() {
    assertThat(failuresOf(FromOldest::new)).contains("shouldBeginAtTheEntryAskedFor");
  }

  @Test
  void shouldCatchLostAcknowledgements() {
    assertThat(failuresOf(Unacknowledging::new))
        .contains(
            "shouldGoOnBehindWhatWasAcknowledged", "shouldRememberReadersAndSayWhichAreAttended");
  }

  @Test
  void shouldCatchDeliveryWithoutWindow() {
    assertThat(failuresOf(Unbounded::new))
        .contains("shouldDeliverNoMoreThanItsWindowBeforeAcknowledgement");
  }

  @Test
  void shouldCatchPurgeOfOneTooMany() {
    assertThat(failuresOf(Greedy::new)).contains("shouldPurgeUpToAnEntryAndNumberOn");
  }

  @Test
  void shouldCatchEntryOfAnotherNumber() {
    assertThat(failuresOf(Neighbouring::new))
        .contains("shouldReturnOneEntryUnlessItIsGoneOrHasYetToCome");
  }

  @Test
  void shouldCatchReadersThatAreNeverForgotten() {
    assertThat(failuresOf(Clinging::new)).contains("shouldTellReaderThatItWasForgotten");
  }

  @Test
  void shouldCatchSnapshotThatShowsTooEarly() {
    assertThat(
            ContractRun.failures(
                    SnapshotStoreContract.class,
                    () -> {
                      SimulatedStorage storage = new SimulatedStorage();
                      return new SnapshotStoreContract() {
                        @Override
                        protected LaneHarness newHarness() {
                          return storage.harness();
                        }

                        @Override
                        protected SnapshotStore open(Environment environment) {
                          return new Hasty(storage.server.snapshots(environment));
                        }
                      };
                    })
                .keySet())
        .contains("shouldShowNothingBeforeCommit");
  }

  private static Set<String> failuresOf(UnaryOperator<DurableEventLog> wrong) {
    return ContractRun.failures(
            DurableEventLogContract.class,
            () -> {
              SimulatedStorage storage = new SimulatedStorage();
              return new DurableEventLogContract() {
                @Override
                protected LaneHarness newHarness() {
                  return storage.harness();
                }

                @Override
                protected DurableEventLog open(Environment environment) {
                  return wrong.apply(storage.server.log(environment));
                }

                @Override
                protected int patience() {
                  return 100;
                }
              };
            })
        .keySet();
  }

  /** Right in everything. */
  private static class Forwarding implements DurableEventLog {
    final DurableEventLog right;

    Forwarding(DurableEventLog right) {
      this.right = right;
    }

    @Override
    public CompletionStage<Long> append(String messageId, byte[] payload) {
      return right.append(messageId, payload);
    }

    @Override
    public LogSubscription consume(
        String consumer, long fromSequence, Scheduler lane, LogListener listener) {
      return right.consume(consumer, fromSequence, lane, listener);
    }

    @Override
    public CompletionStage<LogFacts> facts() {
      return right.facts();
    }

    @Override
    public CompletionStage<Optional<LogEntry>> entryAt(long sequence) {
      return right.entryAt(sequence);
    }

    @Override
    public CompletionStage<List<LogConsumerFacts>> consumers() {
      return right.consumers();
    }

    @Override
    public CompletionStage<Void> deleteConsumer(String consumer) {
      return right.deleteConsumer(consumer);
    }

    @Override
    public CompletionStage<Void> purgeThrough(long sequence) {
      return right.purgeThrough(sequence);
    }

    @Override
    public void close() {
      right.close();
    }
  }

  private static final class Repeating extends Forwarding {
    private int count;

    Repeating(DurableEventLog right) {
      super(right);
    }

    @Override
    public CompletionStage<Long> append(String messageId, byte[] payload) {
      count++;
      return right.append(messageId + "#" + count, payload);
    }
  }

  private static final class Inline extends Forwarding {
    Inline(DurableEventLog right) {
      super(right);
    }

    @Override
    public LogSubscription consume(
        String consumer, long fromSequence, Scheduler lane, LogListener listener) {
      return right.consume(
          consumer,
          fromSequence,
          new Scheduler() {
            @Override
            public io.dynamo4j.core.runtime.NanoClock clock() {
              return lane.clock();
            }

            @Override
            public void execute(Runnable task) {
              task.run();
            }

            @Override
            public io.dynamo4j.core.runtime.Cancellable schedule(Runnable task, long nanos) {
              return lane.schedule(task, nanos);
            }
          },
          listener);
    }
  }

  private static final class Neighbouring extends Forwarding {
    Neighbouring(DurableEventLog right) {
      super(right);
    }

    @Override
    public CompletionStage<Optional<LogEntry>> entryAt(long sequence) {
      return right.entryAt(sequence + 1);
    }
  }

  private static final class FromOldest extends Forwarding {
    FromOldest(DurableEventLog right) {
      super(right);
    }

    @Override
    public LogSubscription consume(
        String consumer, long fromSequence, Scheduler lane, LogListener listener) {
      return right.consume(consumer, 1, lane, listener);
    }
  }

  private static final class Unacknowledging extends Forwarding {
    Unacknowledging(DurableEventLog right) {
      super(right);
    }

    @Override
    public LogSubscription consume(
        String consumer, long fromSequence, Scheduler lane, LogListener listener) {
      LogSubscription real = right.consume(consumer, fromSequence, lane, listener);
      return new LogSubscription() {
        @Override
        public void acknowledge(long sequence) {
          // Lost.
        }

        @Override
        public void close() {
          real.close();
        }
      };
    }
  }

  private static final class Unbounded extends Forwarding {
    Unbounded(DurableEventLog right) {
      super(right);
    }

    @Override
    public LogSubscription consume(
        String consumer, long fromSequence, Scheduler lane, LogListener listener) {
      LogSubscription[] real = new LogSubscription[1];
      real[0] =
          right.consume(
              consumer,
              fromSequence,
              lane,
              new LogListener() {
                @Override
                public void ready() {
                  listener.ready();
                }

                @Override
                public void entry(LogEntry entry) {
                  real[0].acknowledge(entry.sequence());
                  listener.entry(entry);
                }

                @Override
                public void failed(DurableLogException failure) {
                  listener.failed(failure);
                }
              });
      return real[0];
    }
  }

  private static final class Greedy extends Forwarding {
    Greedy(DurableEventLog right) {
      super(right);
    }

    @Override
    public CompletionStage<Void> purgeThrough(long sequence) {
      return right.purgeThrough(sequence + 1);
    }
  }

  private static final class Clinging extends Forwarding {
    Clinging(DurableEventLog right) {
      super(right);
    }

    @Override
    public CompletionStage<Void> deleteConsumer(String consumer) {
      return CompletableFuture.completedFuture(null);
    }
  }

  /** Commits with the first byte. */
  private static final class Hasty implements SnapshotStore {
    private final SnapshotStore right;

    Hasty(SnapshotStore right) {
      this.right = right;
    }

    @Override
    public CompletionStage<List<String>> list() {
      return right.list();
    }

    @Override
    public SnapshotUpload create(String name) {
      SnapshotUpload real = right.create(name);
      return new SnapshotUpload() {
        @Override
        public OutputStream output() {
          return new OutputStream() {
            @Override
            public void write(int value) throws IOException {
              write(new byte[] {(byte) value}, 0, 1);
            }

            @Override
            public void write(byte[] from, int offset, int length) throws IOException {
              real.output().write(from, offset, length);
              var unused = real.commit();
            }
          };
        }

        @Override
        public CompletionStage<Void> commit() {
          return real.commit();
        }

        @Override
        public void abort() {
          real.abort();
        }
      };
    }

    @Override
    public CompletionStage<SnapshotCopy> get(String name) {
      return right.get(name);
    }

    @Override
    public CompletionStage<Void> delete(String name) {
      return right.delete(name);
    }

    @Override
    public void close() {
      right.close();
    }
  }
}
