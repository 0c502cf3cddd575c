// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.NanoClock;
import io.dynamo4j.core.runtime.RandomSource;
import io.dynamo4j.plane.WorkerInstance;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A router's decisions: who may take a request, who takes it, and the booking that follows in the
 * same step.
 *
 * <p><b>Threads.</b> Belongs to the router's lock.
 */
final class RouterDecisions {
  private static final long[] NO_HASHES = {};

  /**
   * What decisions are made from and write to.
   *
   * @param prompts hears of changes of the fleet, and of where prompts go
   * @param clock of the router's steps
   */
  record Parts(
      int blockSize,
      FleetView fleet,
      RouterBookings bookings,
      DecisionRecorder recorder,
      RouterTraffic traffic,
      PromptLookup prompts,
      PrefillLoadModel prefillLoadModel,
      NanoClock clock) {}

  private final KvRouter router;
  private final int blockSize;
  private final FleetView fleet;
  private final RouterBookings bookings;
  private final DecisionRecorder recorder;
  private final RouterTraffic traffic;
  private final PromptLookup prompts;
  private final PrefillLoadModel prefillLoadModel;
  private final NanoClock clock;
  private final RandomSource selectionRandom;
  private final RandomSource blockRandom;
  private boolean alwaysExplain;

  /**
   * Makes the decisions of a router.
   *
   * @param router to which leases report
   */
  RouterDecisions(KvRouter router, Parts parts, RandomSource random) {
    this.router = router;
    this.blockSize = parts.blockSize();
    this.fleet = parts.fleet();
    this.bookings = parts.bookings();
    this.recorder = parts.recorder();
    this.traffic = parts.traffic();
    this.prompts = parts.prompts();
    this.prefillLoadModel = parts.prefillLoadModel();
    this.clock = parts.clock();
    this.selectionRandom = random.split("selection");
    this.blockRandom = random.split("blocks");
  }

  /** Takes over the directory's snapshot if it is another one than last time; ends old leases. */
  void refresh() {
    bookings.expire();
    RankTable before = fleet.table();
    if (fleet.refresh()) {
      bookings.tableChanged(fleet.table());
      prompts.tableChanged(before, fleet.table());
      traffic.tableChanged(before, fleet.table());
    }
  }

  /** Chooses and books. */
  RequestLease selectAndBook(SchedulingRequest request, Prompt prompt) {
    long[] hashes = trackedHashes(request, prompt);
    refresh();
    while (true) {
      WorkerSelectionResult selection = choose(request, prompt, hashes);
      int place = fleet.requireEligible(selection.worker());
      WorkerInstance instance = fleet.table().instance(place);
      Booking booking = booking(request, prompt, hashes, selection).at(place);
      bookings.book(booking);
      try {
        if (fleet.admit(selection.worker())) {
          return lease(request, prompt, booking, selection, instance);
        }
      } catch (Throwable failure) {
        bookings.withdraw(booking);
        throw failure;
      }
      bookings.withdraw(booking);
    }
  }

  /** Chooses as {@link #selectAndBook} would, and books nothing. */
  WorkerSelectionResult choose(SchedulingRequest request, Prompt prompt) {
    refresh();
    return choose(request, prompt, trackedHashes(request, prompt));
  }

  /** Returns the record of a choice that books nothing. */
  DecisionRecord explain(SchedulingRequest request, Prompt prompt) {
    alwaysExplain = true;
    try {
      choose(request, prompt);
      return Objects.requireNonNull(recorder.last());
    } finally {
      alwaysExplain = false;
    }
  }

  /** Returns what each registered rank would carry with the request on it. */
  List<PotentialLoad> potentialLoads(SchedulingRequest request, Prompt prompt) {
    refresh();
    return fleet.potentialLoads(request, prompt, trackedHashes(request, prompt));
  }

  /**
   * Returns the registered worker of a rank.
   *
   * @throws NoSuchElementException if there is none
   */
  WorkerInstance instance(WorkerWithDpRank worker) {
    int index = fleet.table().indexOf(worker);
    if (index < 0) {
      throw new NoSuchElementException("worker is not registered: worker=" + worker);
    }
    return fleet.table().instance(index);
  }

  @Nullable ShadowPolicy shadow() {
    return recorder.shadow();
  }

  /** Returns what a booking counts: the prompt's own hashes, hashes of nobody else, or nothing. */
  private long[] trackedHashes(SchedulingRequest request, Prompt prompt) {
    if (!prompt.config().routerTrackActiveBlocks()) {
      return NO_HASHES;
    }
    if (prompt.config().routerAssumeKvReuse()) {
      return prompt.sequenceHashes();
    }
    long[] unique = new long[request.tokenIds().length() / blockSize];
    for (int i = 0; i < unique.length; i++) {
      unique[i] = blockRandom.nextLong();
    }
    return unique;
  }

  private WorkerSelectionResult choose(SchedulingRequest request, Prompt prompt, long[] hashes) {
    int count = fleet.collect(request);
    if (count == 0) {
      throw fleet.explain(request, false);
    }
    WorkerCandidates candidates = fleet.fill(request, prompt, hashes, count);
    long seed = selectionRandom.nextLong();
    WorkerSelectionResult selection =
        recorder.select(
            request,
            candidates,
            seed,
            alwaysExplain || recorder.isSampled(seed) ? fleet.ineligible(request) : null);
    if (selection == null) {
      throw fleet.explain(request, true);
    }
    return selection;
  }

  private Booking booking(
      SchedulingRequest request, Prompt prompt, long[] hashes, WorkerSelectionResult selection) {
    int promptTokens = request.tokenIds().length();
    // A host's selector may say anything of what it chose.
    int cached = Math.max(0, Math.min(selection.cachedTokens(), promptTokens));
    int uncached = promptTokens - cached;
    boolean computes = prompt.config().routerTrackPrefillTokens();
    boolean counts = computes && uncached > 0;
    return Booking.of(
            request.key(),
            selection.worker(),
            hashes,
            hashes.length,
            counts ? uncached : 0,
            counts
                ? prefillLoadModel.expectedPrefillNanos(selection.worker(), promptTokens, uncached)
                : -1)
        .ofOwnRequest(
            promptTokens,
            computes ? PredictedWorkerScorer.missTokens(promptTokens, cached, blockSize) : -1);
  }

  private RequestLease lease(
      SchedulingRequest request,
      Prompt prompt,
      Booking booking,
      WorkerSelectionResult selection,
      WorkerInstance instance) {
    long tokensToNextBlock = Math.floorMod(-(long) request.tokenIds().length(), blockSize);
    long nowNanos = clock.nanoTime();
    RequestLease lease =
        new RequestLease(
            router,
            booking,
            instance,
            selection,
            tokensToNextBlock,
            request.routing(),
            recorder.last(),
            request.tokenIds().length(),
            nowNanos);
    bookings.open(lease);
    try {
      traffic.booked(lease, prompt, nowNanos);
      lease.learned(prompts.teach(prompt, selection.worker(), instance));
    } catch (Throwable failure) {
      bookings.close(lease); // Nobody will get the lease, so nobody else would end it.
      throw failure;
    }
    return lease;
  }
}
