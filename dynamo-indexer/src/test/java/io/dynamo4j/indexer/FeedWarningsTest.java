// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer;

import static io.dynamo4j.indexer.RecoveryFixture.clear;
import static io.dynamo4j.indexer.RecoveryFixture.store;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** What is wrong with a feed is logged once a cause, however often it is met. */
class FeedWarningsTest {
  private static final String CONFLICT = "two publishers write for one rank";
  private static final String UNREACHABLE = "source of events does not answer";

  private final RecoveryFixture fixture = new RecoveryFixture();

  /** Returns the warnings that an action adds. */
  private static List<String> warnings(String text, Runnable action) {
    int before = RecordingLogs.warnings(text).size();
    action.run();
    List<String> all = RecordingLogs.warnings(text);
    return all.subList(before, all.size());
  }

  private void minutes(RecoveryFixture.Worker worker, int count, Runnable eachSecond) {
    for (int i = 0; i < count * 60; i++) {
      worker.publish(store(1_000 + i));
      eachSecond.run();
      fixture.runMillis(1_000);
    }
  }

  @Test
  void shouldWarnOnceOfASecondPublisherThatGoesOn() {
    RecoveryFixture.Worker worker = fixture.worker(1).serve().register();
    RecoveryFixture.Worker other = fixture.worker(1);
    long[] number = {0};
    Runnable disturb = () -> fixture.plane.deliver(999, number[0]++, other.record(clear()));
    fixture.settle();

    assertThat(warnings(CONFLICT, () -> minutes(worker, 3, disturb)))
        .singleElement()
        .asString()
        .contains("999");
    // Nothing of it for a minute, and then again: another cause.
    assertThat(warnings(CONFLICT, () -> minutes(worker, 1, () -> {}))).isEmpty();
    assertThat(warnings(CONFLICT, () -> minutes(worker, 3, disturb))).hasSize(1);
  }

  @Test
  void shouldWarnOnceOfASourceThatDoesNotAnswerUntilItHas() {
    RecoveryFixture.Worker worker = fixture.worker(1).serve().register();
    fixture.settle();
    worker.isBroken = true;
    worker.lose(store(7));

    assertThat(warnings(UNREACHABLE, () -> minutes(worker, 10, () -> {})))
        .singleElement()
        .asString()
        .contains("worker=" + worker.rank, "attempts=");

    worker.isBroken = false;
    assertThat(warnings(UNREACHABLE, () -> minutes(worker, 5, () -> {}))).isEmpty();
    assertThat(fixture.source(worker.rank).state()).isEqualTo(SourceStatus.State.EXACT);
    worker.isBroken = true;
    worker.lose(store(8));
    assertThat(warnings(UNREACHABLE, () -> minutes(worker, 10, () -> {}))).hasSize(1);
  }

  @Test
  void shouldWarnOfNothingWhileAllIsWell() {
    RecoveryFixture.Worker worker = fixture.worker(1).serve().register();
    fixture.settle();

    assertThat(warnings("", () -> minutes(worker, 5, () -> {}))).isEmpty();
  }
}
