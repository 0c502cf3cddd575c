// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.NanoClock;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A tracker that also learns how long prefills take, from the first tokens of what is booked with
 * it, and adds to each projection what a prediction needs.
 *
 * <p>It learns from this router's own requests only; other routers' bookings count as work ahead,
 * as of the time at which their routers made them.
 *
 * <p>A rank has state from the first time it is looked at until {@link #removeRank}; a booking's
 * state hangs on the booking.
 */
final class ForecastingTracker extends ForwardingBlockTracker {
  private static final double NANOS_PER_MILLI = 1e6;
  private static final double MIN_BUSY_WEIGHT = 0.02;
  private static final double BUSY_MEMORY_MILLIS = 10_000;
  private static final double MIN_IDLE_SHARE = 0.02;
  private static final double MAX_PRICE = 5;
  private static final double OUTPUT_WEIGHT = 0.01;
  private static final double RESIDENCE_WEIGHT = 0.02;
  private static final double MAX_RESIDENCE_MILLIS = 1e7;

  private final NanoClock clock;
  private final int blockSize;
  private final long originNanos;
  private final PrefillTimes prefills;
  private final @Nullable LearnedSpeeds speeds;
  private final Map<WorkerWithDpRank, RankTimes> ranks = new LinkedHashMap<>();

  /** Who was seen in each place: most decisions see the same ranks in the same places. */
  private @Nullable WorkerWithDpRank[] placeRanks = {};

  private @Nullable RankTimes[] placeTimes = {};

  /** The ranks of the table that decisions see, for whom nothing is looked up or copied. */
  private final ForecastTable known = new ForecastTable();

  private double observedMillis;
  private double predictedMillis;
  private double outputTokens;
  private double residenceMillis;

  /** Share of ranks at which somebody waits, smoothed; as of the last booking of this router. */
  private double busyShare;

  private double busyShareMillis;
  private double nextBusyShare;
  private double nextBusyShareMillis;
  private long peerAgeNanos;

  ForecastingTracker(
      ActiveBlockTracker delegate, NanoClock clock, int blockSize, PredictionConfig config) {
    this(delegate, clock, blockSize, config, null);
  }

  /**
   * Makes a tracker.
   *
   * @param speeds learns too, unless null
   */
  ForecastingTracker(
      ActiveBlockTracker delegate,
      NanoClock clock,
      int blockSize,
      PredictionConfig config,
      @Nullable LearnedSpeeds speeds) {
    super(delegate);
    this.clock = clock;
    this.blockSize = blockSize;
    this.originNanos = clock.nanoTime();
    this.prefills = new PrefillTimes(config.prefillMillis(), config.prefillMillisPerToken());
    this.speeds = speeds;
    this.outputTokens = config.outputTokens();
    this.residenceMillis = config.residenceMillis();
  }

  /** Returns how many ranks have state. */
  int rankCount() {
    return ranks.size();
  }

  PrefillTimes prefills() {
    return prefills;
  }

  /** Says how old the messages of other routers are that follow; 0 ends that. */
  void peerAge(long nanos) {
    peerAgeNanos = nanos;
  }

  /* --------------- The life of one booking --------------- */

  @Override
  public void book(Booking booking) {
    super.book(booking);
    double now = nowMillis();
    RankTimes rank = rankOf(booking.worker(), booking.place());
    long miss = booking.missTokens();
    BookingTimes times =
        new BookingTimes(
            rank, miss, promptTokens(booking), miss < 0 ? 0 : prefills.millis(miss), now);
    booking.times = times;
    if (booking.isOwn()) {
      busyShare = nextBusyShare;
      busyShareMillis = nextBusyShareMillis;
    }
    rank.booked(times, now, fleetRatio());
    known.changed(rank);
  }

  private long promptTokens(Booking booking) {
    return booking.promptTokens() >= 0
        ? booking.promptTokens()
        : (long) booking.blockCount() * blockSize;
  }

  @Override
  public boolean markPrefillCompleted(Booking booking) {
    BookingTimes times = booking.times;
    if (times != null && !times.rank.gone && Double.isNaN(times.firstTokenMillis)) {
      double now = nowMillis();
      if (times.waiting) {
        if (booking.isOwn()) {
          learn(booking, times, now);
        }
        times.rank.prefillEnded(times, now, fleetRatio());
        known.changed(times.rank);
      }
      times.decodesFrom(now);
    }
    return super.markPrefillCompleted(booking);
  }

  private void learn(Booking booking, BookingTimes times, double now) {
    RankTimes rank = times.rank;
    double took = rank.tookMillis(now);
    if (speeds != null) {
      speeds.learn(
          booking.worker(),
          times.missTokens,
          took,
          rank.wasAlone(times),
          rank.decoding() > 0,
          rank.used());
    }
    if (rank.wasAlone(times)) {
      prefills.learn(times.missTokens, now - times.bookedMillis);
    }
    observedMillis -= rank.observedMillis();
    predictedMillis -= rank.predictedMillis();
    rank.observe(times, took);
    known.observed(rank);
    observedMillis += rank.observedMillis();
    predictedMillis += rank.predictedMillis();
  }

  @Override
  public boolean free(Booking booking) {
    BookingTimes times = booking.times;
    booking.times = null;
    if (times != null && !times.rank.gone) {
      double now = nowMillis();
      if (times.waiting) {
        times.rank.prefillEnded(times, now, fleetRatio());
      }
      times.rank.freed(times, now);
      known.changed(times.rank);
      if (booking.isOwn() && !Double.isNaN(times.firstTokenMillis)) {
        learnSpeed(booking, times);
        learnAnswer(booking, Math.max(0, now - times.firstTokenMillis));
      }
    }
    return super.free(booking);
  }

  /** Learns how fast a rank decodes from the part of an answer in which no prompt waited there. */
  private void learnSpeed(Booking booking, BookingTimes times) {
    if (speeds != null) {
      double steps = booking.outputTokens() - 1 - times.busySteps();
      speeds.learnAnswer(booking.worker(), steps, times.quietMillis(), times.quietUsed());
    }
  }

  private void learnAnswer(Booking booking, double lastedMillis) {
    double lasted = Math.min(MAX_RESIDENCE_MILLIS, lastedMillis);
    residenceMillis += RESIDENCE_WEIGHT * (lasted - residenceMillis);
    outputTokens += OUTPUT_WEIGHT * (booking.outputTokens() - outputTokens);
  }

  @Override
  public void removeRank(WorkerWithDpRank rank) {
    super.removeRank(rank);
    if (speeds != null) {
      speeds.remove(rank);
    }
    RankTimes left = ranks.remove(rank);
    if (left != null) {
      left.gone = true;
      known.forget();
      Arrays.fill(placeRanks, null);
      Arrays.fill(placeTimes, null);
      sumUp();
    }
  }

  /** Adds up anew, so that no rounding of ranks that come and go is left. */
  private void sumUp() {
    observedMillis = 0;
    predictedMillis = 0;
    for (RankTimes rank : ranks.values()) {
      observedMillis += rank.observedMillis();
      predictedMillis += rank.predictedMillis();
    }
  }

  /* --------------- Decisions --------------- */

  @Override
  public void project(long[] sequenceHashes, int count, WorkerCandidates candidates) {
    super.project(sequenceHashes, count, candidates);
    int size = candidates.size();
    Forecasts forecasts = candidates.forecasts();
    double now = nowMillis();
    int busy = busy(candidates, now);
    smooth(now, size == 0 ? 0 : (double) busy / size);
    forecasts.prefillMillis = prefills.fixedMillis();
    forecasts.prefillMillisPerToken = prefills.millisPerToken();
    forecasts.capacityPrice = 1 + capacityPrice(nextBusyShare);
    forecasts.outputTokens = outputTokens;
    forecasts.residenceMillis = residenceMillis;
  }

  /** Fills in the forecast of every row; returns at how many somebody waits. */
  private int busy(WorkerCandidates candidates, double now) {
    RankTable table = candidates.rowTable();
    if (table == null) {
      return fill(candidates, now);
    }
    if (!known.isOf(table)) {
      known.begin(table);
      for (int place = 0; place < candidates.size(); place++) {
        RankTimes rank = rankOf(candidates.worker(place), place);
        rank.capacity(candidates.totalBlocks(place), blockSize);
        known.put(place, rank);
      }
    }
    known.project(candidates.forecasts(), now, fleetRatio());
    return known.busy();
  }

  /** As {@link ForecastTable#project}, row by row: some ranks of a table, or a host's rows. */
  private int fill(WorkerCandidates candidates, double now) {
    int size = candidates.size();
    Forecasts forecasts = candidates.forecasts();
    forecasts.reset(size);
    double fleet = fleetRatio();
    int busy = 0;
    for (int row = 0; row < size; row++) {
      RankTimes rank = rankOf(candidates.worker(row), candidates.place(row));
      if (rank.capacity(candidates.totalBlocks(row), blockSize)) {
        known.forget();
      }
      busy += rank.waiting() > 0 ? 1 : 0;
      forecasts.set(
          row,
          rank.queueMillis(now),
          rank.waiting(),
          rank.decoding(),
          rank.promptTokens(),
          rank.slowdown(fleet));
      forecasts.setUsed(row, rank.used());
    }
    return busy;
  }

  @SuppressWarnings("ReferenceEquality") // equal but not the same costs a lookup, no more
  private RankTimes rankOf(WorkerWithDpRank worker, int place) {
    if (place >= 0 && place < placeRanks.length && placeRanks[place] == worker) {
      RankTimes seen = placeTimes[place];
      if (seen != null) {
        return seen;
      }
    }
    RankTimes found = ranks.computeIfAbsent(worker, rank -> new RankTimes());
    if (place < 0) {
      return found;
    }
    if (place >= placeRanks.length) {
      placeRanks = Arrays.copyOf(placeRanks, Math.max(16, (place + 1) * 2));
      placeTimes = Arrays.copyOf(placeTimes, placeRanks.length);
    }
    placeRanks[place] = worker;
    placeTimes[place] = found;
    return found;
  }

  /** Takes a sample of who waits, to be kept if a booking follows: questions change nothing. */
  private void smooth(double now, double busy) {
    double elapsed = Math.max(0, now - busyShareMillis);
    double part = elapsed / BUSY_MEMORY_MILLIS;
    // 1 - e^-x is below x: decisions in quick succession need no power.
    double weight =
        part < MIN_BUSY_WEIGHT ? MIN_BUSY_WEIGHT : Math.max(MIN_BUSY_WEIGHT, 1 - Math.exp(-part));
    nextBusyShare = busyShare + weight * (busy - busyShare);
    nextBusyShareMillis = now;
  }

  private static double capacityPrice(double share) {
    return Math.min(MAX_PRICE, share / Math.max(MIN_IDLE_SHARE, 1 - share));
  }

  /** Returns observed over predicted prefill time of all ranks. */
  private double fleetRatio() {
    return predictedMillis > 0 && observedMillis > 0 ? observedMillis / predictedMillis : 1;
  }

  private double nowMillis() {
    return (clock.nanoTime() - originNanos - peerAgeNanos) / NANOS_PER_MILLI;
  }
}
