// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.contracts;

import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.kvrouter.ActiveBlockTracker;
import io.dynamo4j.testkit.contracts.BookingScript.Step;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * What every account of live load must do, whoever wrote it. Extend it and say how yours is made:
 *
 * <pre>{@code
 * class MyTrackerTest extends ActiveBlockTrackerContract {
 *   protected ActiveBlockTracker create() {
 *     return new MyTracker();
 *   }
 * }
 * }</pre>
 *
 * <p>Not looked at: decay of prompts and blocks of fading weight, which a tracker may leave out.
 * {@link ActiveBlockTrackerPropertyContract} plays arbitrary scripts.
 */
public abstract class ActiveBlockTrackerContract {
  private static final WorkerWithDpRank A = new WorkerWithDpRank(1, 0);
  private static final WorkerWithDpRank A1 = new WorkerWithDpRank(1, 1);
  private static final WorkerWithDpRank LAST = new WorkerWithDpRank(-1, 0);

  /** Makes the tracker under test, without bookings. */
  protected abstract ActiveBlockTracker create();

  private void play(Step... steps) {
    new BookingScript(List.of(steps)).check(create());
  }

  private static Step book(WorkerWithDpRank rank, int key) {
    return new Step.Book(rank, key, 1, 4, 10);
  }

  @Test
  public void shouldCountABooking() {
    play(book(A, 1), new Step.Book(A, 2, 2, 0, 0));
  }

  @Test
  public void shouldCountSharedBlocksOnce() {
    play(book(A, 1), new Step.Book(A, 2, 1, 6, 3), new Step.Free(0));
  }

  @Test
  public void shouldTellRanksApart() {
    play(book(A, 1), book(A1, 2), book(LAST, 3), new Step.Free(1));
  }

  @Test
  public void shouldTakeAPromptOffOnce() {
    play(book(A, 1), book(A, 2), new Step.Prefill(0), new Step.Prefill(0));
  }

  @Test
  public void shouldGrowByBlocksThatNobodyShares() {
    play(book(A, 1), book(A, 2), new Step.Output(0), new Step.Output(1), new Step.Free(0));
  }

  @Test
  public void shouldRefuseAKeyThatIsBookedAndChangeNothing() {
    play(book(A, 1), new Step.Book(A1, 1, 2, 3, 5), new Step.Free(1), new Step.Free(0));
  }

  @Test
  public void shouldEndABookingOnce() {
    play(book(A, 1), book(A, 2), new Step.Free(0), new Step.Free(0), new Step.Output(0));
  }

  /** A late message of an attempt that is gone must not touch the next one of the same key. */
  @Test
  public void shouldTellBookingsOfOneKeyApart() {
    play(book(A, 1), new Step.Free(0), book(A1, 1), new Step.Prefill(0), new Step.Free(0));
  }

  @Test
  public void shouldEndWhatIsOnARankThatIsGone() {
    play(book(A, 1), book(A1, 2), new Step.RankGone(A), new Step.Free(0), book(A, 1));
  }
}
