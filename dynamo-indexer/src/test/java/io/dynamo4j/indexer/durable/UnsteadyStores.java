// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer.durable;

import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.core.runtime.RandomSource;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.plane.SnapshotCopy;
import io.dynamo4j.plane.SnapshotStore;
import io.dynamo4j.plane.SnapshotUpload;
import java.io.OutputStream;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** Stores that take long for an upload and for reading it back, and damage some on their way. */
final class UnsteadyStores {
  private static final long SECOND = 1_000_000_000L;

  private final RandomSource random;
  private final Set<String> damaged = new HashSet<>();
  private boolean isSteady;

  UnsteadyStores(RandomSource random) {
    this.random = random;
  }

  /** From now on all is well. */
  void steady() {
    isSteady = true;
  }

  /** Returns whether a snapshot is none that was damaged, and none of a stranger. */
  boolean isFit(String name) {
    return !damaged.contains(name) && !name.endsWith("-0000000000000009");
  }

  SnapshotStore of(SnapshotStore right, Environment environment) {
    return new Unsteady(right, environment.lanes().lane("unsteady"));
  }

  private final class Unsteady implements SnapshotStore {
    private final SnapshotStore right;
    private final Scheduler lane;

    Unsteady(SnapshotStore right, Scheduler lane) {
      this.right = right;
      this.lane = lane;
    }

    private <T> CompletionStage<T> later(Supplier<CompletionStage<T>> call) {
      if (isSteady) {
        return call.get();
      }
      CompletableFuture<Void> waited = new CompletableFuture<>();
      lane.schedule(() -> waited.complete(null), (long) (random.nextDouble() * 5 * SECOND));
      return waited.thenCompose(done -> call.get());
    }

    @Override
    public CompletionStage<List<String>> list() {
      return right.list();
    }

    @Override
    public SnapshotUpload create(String name) {
      SnapshotUpload upload = right.create(name);
      boolean isDamaged = !isSteady && random.nextInt(2) == 0;
      if (isDamaged) {
        damaged.add(name);
      } else {
        damaged.remove(name);
      }
      return new SnapshotUpload() {
        @Override
        public OutputStream output() {
          return isDamaged ? OutputStream.nullOutputStream() : upload.output();
        }

        @Override
        public CompletionStage<Void> commit() {
          return later(upload::commit);
        }

        @Override
        public void abort() {
          upload.abort();
        }
      };
    }

    @Override
    public CompletionStage<SnapshotCopy> get(String name) {
      return later(() -> right.get(name));
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
