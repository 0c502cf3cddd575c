// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.plane;

import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * Named byte strings of any length that outlive who wrote them. A name is there as a whole or not
 * at all.
 *
 * <p>Every stage fails with {@link DurableLogException} and completes on a thread of the store's
 * choice.
 *
 * <p><b>Threads.</b> Any; nothing here waits for a server.
 */
public interface SnapshotStore extends AutoCloseable {

  /** Returns the names that are there, in order. */
  CompletionStage<List<String>> list();

  /**
   * Starts writing under a name; nobody sees it before {@link SnapshotUpload#commit}, which
   * replaces what was there.
   *
   * @param name letters, digits, hyphens, underscores
   */
  SnapshotUpload create(String name);

  /**
   * Fetches what a name holds and checks that it is what was written; the caller closes it. Fails
   * with {@code NOT_FOUND} or {@code CORRUPT}.
   */
  CompletionStage<SnapshotCopy> get(String name);

  /**
   * Begins to fetch what a name holds, for who can use the first bytes before the last have come.
   * Nothing of it is known to be right before {@link SnapshotPieces#next} has said so; the caller
   * closes it. A store that does not say otherwise fetches all of it first.
   */
  default SnapshotPieces read(String name) {
    return new CopiedPieces(get(name));
  }

  /** Removes a name; completes also if it is not there. */
  CompletionStage<Void> delete(String name);

  /** Ends what is under way; what was committed stays. Idempotent. */
  @Override
  void close();
}
