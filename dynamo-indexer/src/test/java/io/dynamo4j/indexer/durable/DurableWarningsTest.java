// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer.durable;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.indexer.RecordingLogs;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** What is wrong with a durable log is logged once an outage, however long it lasts. */
class DurableWarningsTest {
  private static final String WRITER = "durable log does not take an entry";
  private static final String READER = "durable feed goes on trying";
  private static final String OVERFLOW = "durable log does not take events in time";
  private static final String SNAPSHOT = "snapshot is refused";

  private final DurableFleet fleet =
      new DurableFleet(7, DurableFleet.settings(), UnaryOperator.identity());

  private static List<String> warnings(String text, Runnable action) {
    int before = RecordingLogs.warnings(text).size();
    action.run();
    List<String> all = RecordingLogs.warnings(text);
    return all.subList(before, all.size());
  }

  private void seconds(int count) {
    fleet.runFor(count * DurableFleet.SECOND);
  }

  private void outage(int seconds) {
    fleet.server.reachable(false);
    seconds(seconds);
    fleet.server.reachable(true);
    seconds(30);
  }

  private long writers() {
    return fleet.workers.stream().mapToLong(worker -> worker.engines.size()).sum();
  }

  @Test
  void shouldWarnOfNothingWhileTheLogAnswers() {
    assertThat(warnings("", () -> seconds(60))).isEmpty();
  }

  @Test
  void shouldWarnOnceAWriterAndAReaderHoweverLongTheLogIsGone() {
    seconds(5);

    int brief = warnings(WRITER, () -> outage(10)).size();
    int lasting = warnings(WRITER, () -> outage(200)).size();

    assertThat(brief).isBetween(1, (int) writers());
    assertThat(lasting).isBetween(1, (int) writers());
    assertThat(warnings(READER, () -> outage(200)).size()).isBetween(0, fleet.routers.size());
  }

  @Test
  void shouldWarnOnceAWriterThatItHoldsNoMoreHoweverLongTheLogIsGone() {
    seconds(5);

    List<String> brief = warnings(OVERFLOW, () -> outage(1));
    List<String> lasting = warnings(OVERFLOW, () -> outage(300));

    assertThat(brief).isEmpty();
    assertThat(lasting).hasSizeBetween(1, (int) writers());
    assertThat(lasting).allSatisfy(text -> assertThat(text).matches(".*droppedEvents=[1-9]\\d*"));
  }

  @Test
  void shouldWarnOfEachSnapshotThatIsNotFitToStartFrom() {
    seconds(60);
    fleet.server.corruptSnapshots(false);
    DurableFleet.Router router = fleet.routers.get(0);
    router.kill();

    List<String> refused =
        warnings(
            SNAPSHOT,
            () -> {
              router.start();
              seconds(30);
            });

    long count = router.feed().status().count(DurableFeedCounter.SNAPSHOTS_REFUSED);
    assertThat(refused).isNotEmpty().hasSize((int) count);
  }
}
