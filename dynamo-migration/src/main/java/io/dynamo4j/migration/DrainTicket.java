// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.Scheduler;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * A request's side of a {@link Drain}: belongs to at most one at a time. The drain's calls come
 * from its lane; everything else belongs to the request's.
 */
final class DrainTicket implements Drain.Stream {

  /** The request. */
  interface Owner {

    /** Begins to go elsewhere; tells when it has, or {@link DrainTicket#stayed}. */
    void beginMove();

    /** Gives a move that is under way up. */
    void endMove();
  }

  private final Owner owner;
  private final Attempts<?> attempts;
  private final AnswerFlow<?> answer;
  private final Scheduler lane;
  private @Nullable Drain drain;

  DrainTicket(Owner owner, RequestParts<?> parts) {
    this.owner = owner;
    this.attempts = parts.attempts;
    this.answer = parts.answer;
    this.lane = parts.lane;
  }

  private @Nullable WorkerWithDpRank servingWorker() {
    AttemptRun<?> lead = attempts.lead();
    return lead == null ? null : lead.worker();
  }

  @Override
  public void survey(Drain asking) {
    try {
      lane.execute(() -> answer(asking));
    } catch (RejectedExecutionException laneClosed) {
      asking.absent();
    }
  }

  private void answer(Drain asking) {
    WorkerWithDpRank worker = servingWorker();
    if (worker == null || drain != null || !asking.isOf(worker)) {
      asking.absent();
    } else {
      drain = asking;
      asking.found(this, answer.tokensToCompute());
    }
  }

  @Override
  public void move(Drain asking) {
    try {
      lane.execute(
          () -> {
            if (drain == asking) {
              beginMove(asking);
            }
          });
    } catch (RejectedExecutionException laneClosed) {
      asking.stayed(this, /* again= */ false);
    }
  }

  private void beginMove(Drain asking) {
    if (attempts.arePaired() || !isOf(servingWorker())) {
      asking.stayed(this, /* again= */ true);
    } else if (!answer.canMove()) {
      asking.stayed(this, /* again= */ false);
    } else {
      owner.beginMove();
    }
  }

  @Override
  public void release(Drain asking) {
    try {
      lane.execute(
          () -> {
            if (drain == asking) {
              drain = null;
              owner.endMove();
            }
          });
    } catch (RejectedExecutionException laneClosed) {
      drain = null;
    }
  }

  /** Returns whether a worker is the one that is being drained. */
  boolean isOf(@Nullable WorkerWithDpRank worker) {
    return drain != null && worker != null && drain.isOf(worker);
  }

  /** The stream goes on where it was. */
  void stayed() {
    if (drain != null) {
      drain.stayed(this, /* again= */ true);
    }
  }

  /** A worker opened the stream that leads. */
  void opened(@Nullable WorkerWithDpRank worker) {
    if (!isOf(worker)) {
      settle(Drain.Fate.MOVED);
    }
  }

  /** The stream has left the drain. */
  void settle(Drain.Fate fate) {
    if (drain != null) {
      drain.settled(this, fate);
      drain = null;
    }
  }
}
