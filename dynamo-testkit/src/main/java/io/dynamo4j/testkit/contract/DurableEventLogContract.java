// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.plane.DurableEventLog;
import io.dynamo4j.plane.DurableLogException;
import io.dynamo4j.plane.DurableLogException.Reason;
import io.dynamo4j.plane.LogConsumerFacts;
import io.dynamo4j.plane.LogEntry;
import io.dynamo4j.plane.LogFacts;
import io.dynamo4j.plane.LogSubscription;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** What every {@link DurableEventLog} must do. Each test has a log of its own, empty. */
public abstract class DurableEventLogContract {

  /** Returns fresh lanes; closed by the test. */
  protected abstract LaneHarness newHarness();

  /** Opens a client of the test's log, which is made by the first; closed by the test. */
  protected abstract DurableEventLog open(Environment environment);

  /** Returns how often a state is looked for, a hundredth of a second apart; default 6,000. */
  protected int patience() {
    return 6_000;
  }

  private Run run() {
    return new Run();
  }

  // writing

  @Test
  public void shouldNumberEntriesFromOneWithoutHoles() {
    try (Run run = run()) {
      for (int i = 1; i <= 20; i++) {
        assertThat(run.append(run.log, "e" + i)).isEqualTo(i);
      }
      LogFacts facts = run.value(run.log.facts());
      assertThat(facts.firstSequence()).isEqualTo(1);
      assertThat(facts.lastSequence()).isEqualTo(20);
      assertThat(facts.entries()).isEqualTo(20);
      assertThat(facts.bytes()).isPositive();
    }
  }

  @Test
  public void shouldSayThatItIsEmptyBeforeTheFirstEntry() {
    try (Run run = run()) {
      LogFacts facts = run.value(run.log.facts());
      assertThat(facts.firstSequence()).isEqualTo(1);
      assertThat(facts.lastSequence()).isZero();
      assertThat(facts.entries()).isZero();
      assertThat(run.value(run.log.consumers())).isEmpty();
    }
  }

  @Test
  public void shouldKeepOnlyTheFirstOfOneMessageId() {
    try (Run run = run()) {
      long first = run.append(run.log, "same");
      run.append(run.log, "other");
      assertThat(run.value(run.log.append("same", bytes("again")))).isEqualTo(first);
      assertThat(run.value(run.log.facts()).entries()).isEqualTo(2);
      LogProbe probe = run.consume(run.log, "reader", 1);
      run.awaitEntries(probe, 2);
      assertThat(probe.texts()).containsExactly("same", "other");
    }
  }

  @Test
  public void shouldRefuseEntriesThatAreTooLong() {
    try (Run run = run()) {
      int limit = run.value(run.log.facts()).maxEntryBytes();
      DurableLogException failure = run.failure(run.log.append("long", new byte[limit + 1]));
      assertThat(failure.reason()).isEqualTo(Reason.TOO_LARGE);
      assertThat(run.append(run.log, "short")).isEqualTo(1);
    }
  }

  // reading

  @Test
  public void shouldDeliverInOrderOnTheLaneAfterReady() {
    try (Run run = run()) {
      for (int i = 0; i < 10; i++) {
        run.append(run.log, "e" + i);
      }
      LogProbe probe = run.consume(run.log, "reader", 1);
      run.awaitEntries(probe, 10);
      run.append(run.log, "e10");
      run.awaitEntries(probe, 11);
      assertThat(probe.isReady()).isTrue();
      assertThat(probe.sequences()).isEqualTo(LongStream.rangeClosed(1, 11).toArray());
      assertThat(probe.texts()).startsWith("e0", "e1").endsWith("e9", "e10");
    }
  }

  @Test
  public void shouldBeginAtTheEntryAskedFor() {
    try (Run run = run()) {
      for (int i = 1; i <= 6; i++) {
        run.append(run.log, "e" + i);
      }
      LogProbe probe = run.consume(run.log, "reader", 4);
      run.awaitEntries(probe, 3);
      assertThat(probe.texts()).containsExactly("e4", "e5", "e6");
    }
  }

  @Test
  public void shouldGoOnBehindWhatWasAcknowledged() {
    try (Run run = run()) {
      for (int i = 1; i <= 6; i++) {
        run.append(run.log, "e" + i);
      }
      LogProbe first = run.consume(run.log, "reader", 1);
      run.awaitEntries(first, 6);
      first.subscription().acknowledge(4);
      run.awaitAcknowledged("reader", 4);
      first.subscription().close();
      LogProbe second = run.consume(run.log, "reader", 1);
      run.awaitEntries(second, 2);
      assertThat(second.texts()).containsExactly("e5", "e6");
    }
  }

  @Test
  public void shouldDeliverNoMoreThanItsWindowBeforeAcknowledgement() {
    try (Run run = run()) {
      int all = 300;
      for (int i = 0; i < all; i++) {
        run.append(run.log, "e" + i);
      }
      LogProbe probe = run.consume(run.log, "reader", 1);
      run.await(() -> probe.count() > 0);
      run.settle();
      assertThat(probe.count()).isLessThan(all);
      probe.acknowledgeAtOnce();
      run.awaitEntries(probe, all);
      assertThat(probe.sequences()).isEqualTo(LongStream.rangeClosed(1, all).toArray());
    }
  }

  @Test
  public void shouldDeliverEverythingToEveryReader() {
    try (Run run = run()) {
      DurableEventLog other = run.open();
      LogProbe one = run.consume(run.log, "one", 1);
      LogProbe two = run.consume(other, "two", 1);
      run.append(run.log, "a");
      run.append(other, "b");
      run.awaitEntries(one, 2);
      run.awaitEntries(two, 2);
      assertThat(one.texts()).containsExactly("a", "b");
      assertThat(two.texts()).containsExactly("a", "b");
    }
  }

  @Test
  public void shouldDeliverNothingAfterSubscriptionIsClosed() {
    try (Run run = run()) {
      LogProbe probe = run.consume(run.log, "reader", 1);
      LogProbe other = run.consume(run.log, "other", 1);
      run.append(run.log, "a");
      run.awaitEntries(probe, 1);
      probe.subscription().close();
      run.append(run.log, "b");
      run.awaitEntries(other, 2);
      run.settle();
      assertThat(probe.texts()).containsExactly("a");
    }
  }

  @Test
  public void shouldReturnOneEntryUnlessItIsGoneOrHasYetToCome() {
    try (Run run = run()) {
      for (int i = 1; i <= 4; i++) {
        run.append(run.log, "e" + i);
      }
      run.done(run.log.purgeThrough(2));
      assertThat(run.value(run.log.entryAt(2))).isEmpty();
      assertThat(run.value(run.log.entryAt(5))).isEmpty();
      LogEntry found = run.value(run.log.entryAt(3)).orElseThrow();
      assertThat(found.sequence()).isEqualTo(3);
      assertThat(new String(found.payload(), StandardCharsets.UTF_8)).isEqualTo("e3");
      assertThat(run.value(run.log.consumers())).isEmpty();
    }
  }

  // readers that are remembered

  @Test
  public void shouldRememberReadersAndSayWhichAreAttended() {
    try (Run run = run()) {
      run.append(run.log, "a");
      LogProbe probe = run.consume(run.log, "reader", 1);
      run.awaitEntries(probe, 1);
      run.await(() -> run.consumer("reader").isAttended());
      assertThat(run.consumer("reader").acknowledgedThrough()).isZero();
      probe.subscription().acknowledge(1);
      run.awaitAcknowledged("reader", 1);
      probe.subscription().close();
      run.await(() -> !run.consumer("reader").isAttended());
      assertThat(run.consumer("reader").acknowledgedThrough()).isEqualTo(1);
    }
  }

  @Test
  public void shouldTellReaderThatItWasForgotten() {
    try (Run run = run()) {
      LogProbe probe = run.consume(run.log, "reader", 1);
      run.append(run.log, "a");
      run.awaitEntries(probe, 1);
      run.done(run.log.deleteConsumer("reader"));
      run.await(() -> probe.failure() != null);
      assertThat(Objects.requireNonNull(probe.failure()).reason()).isEqualTo(Reason.CONSUMER_GONE);
      assertThat(run.value(run.log.consumers())).isEmpty();
      run.done(run.log.deleteConsumer("reader"));
    }
  }

  // purging

  @Test
  public void shouldPurgeUpToAnEntryAndNumberOn() {
    try (Run run = run()) {
      for (int i = 1; i <= 6; i++) {
        run.append(run.log, "e" + i);
      }
      run.done(run.log.purgeThrough(4));
      LogFacts facts = run.value(run.log.facts());
      assertThat(facts.firstSequence()).isEqualTo(5);
      assertThat(facts.lastSequence()).isEqualTo(6);
      LogProbe probe = run.consume(run.log, "reader", 1);
      run.awaitEntries(probe, 2);
      assertThat(probe.texts()).containsExactly("e5", "e6");
      run.done(run.log.purgeThrough(6));
      facts = run.value(run.log.facts());
      assertThat(facts.firstSequence()).isEqualTo(7);
      assertThat(facts.entries()).isZero();
      assertThat(run.append(run.log, "e7")).isEqualTo(7);
    }
  }

  @Test
  public void shouldShowReaderThatEntriesAreGone() {
    try (Run run = run()) {
      LogProbe probe = run.consume(run.log, "reader", 1);
      run.append(run.log, "e1");
      run.awaitEntries(probe, 1);
      probe.subscription().acknowledge(1);
      run.awaitAcknowledged("reader", 1);
      probe.subscription().close();
      run.await(() -> !run.consumer("reader").isAttended());
      for (int i = 2; i <= 5; i++) {
        run.append(run.log, "e" + i);
      }
      run.done(run.log.purgeThrough(3));
      LogProbe again = run.consume(run.log, "reader", 1);
      run.awaitEntries(again, 2);
      assertThat(again.sequences()).containsExactly(4, 5);
    }
  }

  // end

  @Test
  public void shouldRefuseEverythingOnceClosed() {
    try (Run run = run()) {
      run.append(run.log, "a");
      run.log.close();
      run.log.close();
      assertThat(run.failure(run.log.append("b", bytes("b"))).reason()).isEqualTo(Reason.CLOSED);
      assertThat(run.failure(run.log.facts()).reason()).isEqualTo(Reason.CLOSED);
      DurableEventLog other = run.open();
      assertThat(run.value(other.facts()).lastSequence()).isEqualTo(1);
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** Lanes, clients of one log, and probes whose breaches fail the test at the end. */
  private final class Run extends StorageRun {
    final DurableEventLog log;
    private final List<DurableEventLog> clients = new ArrayList<>();
    private final List<LogProbe> probes = new ArrayList<>();

    Run() {
      super(newHarness(), patience());
      this.log = open();
    }

    DurableEventLog open() {
      DurableEventLog client = DurableEventLogContract.this.open(environment());
      clients.add(client);
      return client;
    }

    long append(DurableEventLog to, String text) {
      return value(to.append(text, bytes(text)));
    }

    LogProbe consume(DurableEventLog from, String name, long sequence) {
      LogProbe probe = new LogProbe(ProbeLane.over(lane("reader-" + probes.size())));
      probes.add(probe);
      LogSubscription subscription = from.consume(name, sequence, probe.lane(), probe);
      probe.subscribed(subscription);
      return probe;
    }

    void awaitEntries(LogProbe probe, int count) {
      await(() -> probe.count() >= count || probe.failure() != null);
      assertThat(probe.failure()).as("failure of the reader").isNull();
      assertThat(probe.count()).isEqualTo(count);
    }

    LogConsumerFacts consumer(String name) {
      return value(log.consumers()).stream()
          .filter(each -> each.name().equals(name))
          .findFirst()
          .orElse(new LogConsumerFacts("missing", -1, false));
    }

    void awaitAcknowledged(String name, long sequence) {
      await(() -> consumer(name).acknowledgedThrough() == sequence);
    }

    @Override
    public void close() {
      try {
        for (LogProbe probe : probes) {
          assertThat(probe.violations()).as("breaches").isEmpty();
        }
      } finally {
        clients.forEach(DurableEventLog::close);
        super.close();
      }
    }
  }
}
