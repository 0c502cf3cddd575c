// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer.durable;

import io.dynamo4j.core.collect.LongObjectMap;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.plane.WorkerDirectory;
import io.dynamo4j.plane.WorkerInstance;
import java.util.Arrays;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The workers whose events count: those that the directory names, and, since the log may be read
 * before the directory has spoken and a worker may be missing there for a while, a bounded number
 * of others for a time. Belongs to the feed's lane.
 */
final class LogMembers implements WorkerDirectory.Listener {
  private static final int MAX_UNLISTED = 4_096;

  private final LongObjectMap<Member> members;
  private final LongSupplier nowNanos;
  private int unlisted;
  private @Nullable Consumer<WorkerInstance> watcher;
  private long watchUntilNanos;

  LogMembers(long seed, LongSupplier nowNanos) {
    this.members = LongObjectMap.create(seed);
    this.nowNanos = nowNanos;
  }

  @Override
  public void added(WorkerInstance instance) {
    Member member = members.get(instance.workerId());
    if (member == null) {
      member = new Member();
      members.put(instance.workerId(), member);
    } else if (member.instance == null) {
      unlisted--;
    }
    member.instance = instance;
    Consumer<WorkerInstance> told = watcher;
    if (told != null && nowNanos.getAsLong() - watchUntilNanos < 0) {
      told.accept(instance);
    }
  }

  /** Hands out the workers that the directory names, now and those that it adds before then. */
  void watch(long untilNanos, Consumer<WorkerInstance> newWatcher) {
    watcher = newWatcher;
    watchUntilNanos = untilNanos;
    members.forEach(
        (workerId, member) -> {
          WorkerInstance instance = member.instance;
          if (instance != null) {
            newWatcher.accept(instance);
          }
        });
  }

  void endWatch() {
    watcher = null;
  }

  @Override
  public void removed(WorkerInstance instance) {
    Member member = members.get(instance.workerId());
    if (member != null && member.instance != null) {
      unlist(member);
    }
  }

  private void unlist(Member member) {
    unlisted++;
    member.instance = null;
    member.unlistedSinceNanos = nowNanos.getAsLong();
  }

  /** Returns whether a rank may write. */
  boolean mayWrite(WorkerWithDpRank rank) {
    Member member = members.get(rank.workerId());
    if (member == null) {
      return addUnlisted(rank.workerId());
    }
    WorkerInstance instance = member.instance;
    return instance == null
        || (rank.dpRank() >= instance.dpStart()
            && rank.dpRank() - instance.dpStart() < instance.dpSize());
  }

  /** Notes a worker that a snapshot holds. */
  boolean addUnlisted(long workerId) {
    if (members.get(workerId) != null) {
      return true;
    }
    if (unlisted >= MAX_UNLISTED) {
      return false;
    }
    Member member = new Member();
    members.put(workerId, member);
    unlist(member);
    return true;
  }

  /** Takes out the workers that have been missing for longer than this. */
  long[] takeMissing(long nanos) {
    if (unlisted == 0) {
      return new long[0];
    }
    long now = nowNanos.getAsLong();
    long[] missing = new long[unlisted];
    int[] count = {0};
    members.forEach(
        (workerId, member) -> {
          if (member.instance == null && now - member.unlistedSinceNanos >= nanos) {
            missing[count[0]++] = workerId;
          }
        });
    for (int i = 0; i < count[0]; i++) {
      members.remove(missing[i]);
      unlisted--;
    }
    return Arrays.copyOf(missing, count[0]);
  }

  private static final class Member {
    @Nullable WorkerInstance instance;
    long unlistedSinceNanos;
  }
}
