// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer.durable;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.indexer.KvIndexer;
import io.dynamo4j.plane.DurableLogException;
import io.dynamo4j.plane.DurableLogException.Reason;
import io.dynamo4j.plane.SnapshotCopy;
import io.dynamo4j.plane.SnapshotPieces;
import io.dynamo4j.plane.SnapshotStore;
import io.dynamo4j.plane.SnapshotUpload;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** A snapshot that another router drops while one starts from it. */
class VanishingSnapshotTest {
  private final DurableFleet fleet =
      new DurableFleet(7, DurableFleet.settings(), UnaryOperator.identity());

  @Test
  void shouldLookAgainWhereASnapshotIsGoneBeforeItIsLoaded() {
    shouldStartWith(true, false);
  }

  @Test
  void shouldLookAgainWhereASnapshotGoesBeforeItsLastPiece() {
    shouldStartWith(false, true);
  }

  private void shouldStartWith(boolean isGone, boolean isGoing) {
    fleet.runFor(20 * DurableFleet.SECOND);
    fleet.stopWork();
    fleet.runFor(3 * DurableFleet.SECOND);
    Environment environment = fleet.simulation.environment("late router");
    KvIndexer index = KvIndexer.builder().environment(environment).blockSize(16).build();
    Stale snapshots = new Stale(fleet.server.snapshots(environment), isGone, isGoing);
    DurableKvFeed feed =
        DurableKvFeed.builder()
            .log(fleet.server.log(environment))
            .snapshots(snapshots)
            .scope("ns", "backend")
            .index(index)
            .environment(environment)
            .directory(fleet.directory)
            .config(DurableFleet.config())
            .start();
    fleet.simulation.await(feed.caughtUp());
    DurableFeedStatus status = feed.status();
    assertThat(snapshots.lists).isGreaterThan(1);
    assertThat(status.isWhole()).isTrue();
    assertThat(status.count(DurableFeedCounter.HOLES)).isZero();
    assertThat(status.count(DurableFeedCounter.SNAPSHOTS_REFUSED)).isZero();
    assertThat(index.status().blocks())
        .isEqualTo(fleet.routers.get(0).index().status().blocks())
        .isPositive();
  }

  /** Names at first only one that is gone by the time it is asked for, or goes while it comes. */
  private static final class Stale implements SnapshotStore {
    private final SnapshotStore right;
    private final boolean isGone;
    private boolean isGoing;
    private int lists;

    Stale(SnapshotStore right, boolean isGone, boolean isGoing) {
      this.right = right;
      this.isGone = isGone;
      this.isGoing = isGoing;
    }

    @Override
    public SnapshotPieces read(String name) {
      SnapshotPieces whole = right.read(name);
      boolean goes = isGoing;
      isGoing = false;
      return goes ? new Going(whole) : whole;
    }

    @Override
    public CompletionStage<List<String>> list() {
      lists++;
      return isGone && lists == 1
          ? CompletableFuture.completedFuture(List.of(DurableSnapshotFormat.name(1, 1)))
          : right.list();
    }

    @Override
    public SnapshotUpload create(String name) {
      return right.create(name);
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

  /** Brings one piece. */
  private static final class Going implements SnapshotPieces {
    private final SnapshotPieces right;
    private int asked;

    Going(SnapshotPieces right) {
      this.right = right;
    }

    @Override
    public CompletionStage<Optional<byte[]>> next() {
      return asked++ == 0
          ? right.next()
          : CompletableFuture.failedFuture(
              new DurableLogException(Reason.NOT_FOUND, "snapshot is not there any more"));
    }

    @Override
    public long totalBytes() {
      return right.totalBytes();
    }

    @Override
    public void close() {
      right.close();
    }
  }
}
