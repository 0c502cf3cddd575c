// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.kvrouter.FoundFaults.Evidence;
import io.dynamo4j.plane.WorkerInstance;
import org.jspecify.annotations.Nullable;

/**
 * Finds ranks that compute prompts and never say that they stored them.
 *
 * <p>What was computed in the middle of a window is compared with what was heard in all of it:
 * events may come some seconds before or after the prompt's first token.
 */
final class SilenceCheck implements HealthCheck {
  private static final int[] WINDOWS_SECONDS = {30, 60};
  private static final int MARGIN_SECONDS = 10;
  private static final int LEAST_COMPUTED = 2;

  @Override
  public void check(HealthWindow window, FoundFaults found) {
    for (int seconds : WINDOWS_SECONDS) {
      Span span = span(window, seconds);
      if (span != null && span.report(found)) {
        return;
      }
    }
  }

  private static @Nullable Span span(HealthWindow window, int seconds) {
    HealthSample start = window.ago(seconds);
    HealthSample from = window.ago(seconds - MARGIN_SECONDS);
    HealthSample to = window.ago(MARGIN_SECONDS);
    return start == null || from == null || to == null || !start.isFed()
        ? null
        : new Span(start, from, to, window.now());
  }

  private record Span(HealthSample start, HealthSample from, HealthSample to, HealthSample end) {

    long computed(WorkerWithDpRank rank) {
      return to.rank(rank, end).computed() - from.rank(rank, end).computed();
    }

    boolean isSilent(WorkerWithDpRank rank) {
      return start.rank(rank, end).events() == events(rank);
    }

    long events(WorkerWithDpRank rank) {
      return end.rank(rank, end).events();
    }

    boolean report(FoundFaults found) {
      long computed = 0;
      boolean isAnyHeard = false;
      for (WorkerInstance worker : end.workers()) {
        for (int i = 0; i < worker.dpSize(); i++) {
          computed += computed(worker.rank(i));
          isAnyHeard |= !isSilent(worker.rank(i));
        }
      }
      if (!isAnyHeard) {
        if (computed > LEAST_COMPUTED) {
          found.add(
              HealthKind.NO_EVENTS,
              "workers=" + end.workers().size(),
              evidence(computed, totalEvents()).and("workers", end.workers().size()));
        }
        return computed > LEAST_COMPUTED;
      }
      int before = found.list().size();
      end.workers().forEach(worker -> report(worker, found));
      return found.list().size() > before;
    }

    private void report(WorkerInstance worker, FoundFaults found) {
      long computed = 0;
      boolean isHeard = false;
      for (int i = 0; i < worker.dpSize(); i++) {
        computed += computed(worker.rank(i));
        isHeard |= !isSilent(worker.rank(i));
      }
      if (!isHeard && computed >= LEAST_COMPUTED) {
        found.addWorker(
            HealthKind.WORKER_SILENT, worker.rank(0), evidence(computed, events(worker.rank(0))));
      }
      for (int i = 0; isHeard && i < worker.dpSize(); i++) {
        WorkerWithDpRank rank = worker.rank(i);
        if (isSilent(rank) && computed(rank) >= LEAST_COMPUTED) {
          found.addRank(HealthKind.RANK_SILENT, rank, evidence(computed(rank), events(rank)));
        }
      }
    }

    private long totalEvents() {
      return end.ranks().values().stream().mapToLong(RankFigures::events).sum();
    }

    private Evidence evidence(long computed, long events) {
      return Evidence.of("computedPrompts", computed)
          .and("newEvents", 0)
          .and("eventsBefore", events)
          .and("seconds", (end.nanos() - start.nanos()) / HealthWindow.SECOND);
    }
  }
}
