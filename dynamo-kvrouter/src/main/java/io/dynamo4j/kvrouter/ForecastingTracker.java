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
final class ForecastingTracker implements ActiveBlockTracker {
  private static final double NANOS_PER_MILLI = 1e6;
  private static final double MIN_BUSY_WEIGHT = 0.02;
  private static final double BUSY_MEMORY_MILLIS = 10_000;
  private static final double MIN_IDLE_SHARE = 0.02;
  private static final double MAX_PRICE = 5;
  private static final double OUTPUT_WEIGHT = 0.01;
  private static final double RESIDENCE_WEIGHT = 0.02;
  private static final double MAX_RESIDENCE_MILLIS = 1e7;

  private final ActiveBlockTracker delegate;
  private final NanoClock clock;
  private final int blockSize;
  private final long originNanos;
  private final PrefillTimes prefills;
  private final @Nullable LearnedSpeeds speeds;
  private final Map<WorkerWithDpRank, RankTimes> ranks = new LinkedHashMap<>();

  /** Rows of the last projection: most decisions see the same ranks in the same order. */
  private @Nullable WorkerWithDpRank[] rowRanks = {};

  private @Nullable RankTimes[] rowTimes = {};

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
    this.delegate = delegate;
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
    delegate.book(booking);
    double now = nowMillis();
    RankTimes rank = ranks.computeIfAbsent(booking.worker(), worker -> new RankTimes());
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
      times.firstTokenMillis = now;
      if (times.waiting) {
        if (booking.isOwn()) {
          learn(booking, times, now);
        }
        times.rank.prefillEnded(times, now, fleetRatio());
      }
    }
    return delegate.markPrefillCompleted(booking);
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
      times.rank.freed(times);
      if (booking.isOwn() && !Double.isNaN(times.firstTokenMillis)) {
        learnAnswer(booking, Math.max(0, now - times.firstTokenMillis));
      }
    }
    return delegate.free(booking);
  }

  private void learnAnswer(Booking booking, double lastedMillis) {
    double lasted = Math.min(MAX_RESIDENCE_MILLIS, lastedMillis);
    residenceMillis += RESIDENCE_WEIGHT * (lasted - residenceMillis);
    outputTokens += OUTPUT_WEIGHT * (booking.outputTokens() - outputTokens);
  }

  @Override
  public boolean addOutputBlock(Booking booking) {
    return delegate.addOutputBlock(booking);
  }

  @Override
  public boolean addOutputBlock(Booking booking, double remaining) {
    return delegate.addOutputBlock(booking, remaining);
  }

  @Override
  public void removeRank(WorkerWithDpRank rank) {
    delegate.removeRank(rank);
    if (speeds != null) {
      speeds.remove(rank);
    }
    RankTimes left = ranks.remove(rank);
    if (left != null) {
      left.gone = true;
      Arrays.fill(rowRanks, null);
      Arrays.fill(rowTimes, null);
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
    delegate.project(sequenceHashes, count, candidates);
    int size = candidates.size();
    if (rowRanks.length < size) {
      rowRanks = Arrays.copyOf(rowRanks, Math.max(16, size * 2));
      rowTimes = Arrays.copyOf(rowTimes, rowRanks.length);
    }
    Forecasts forecasts = candidates.forecasts();
    forecasts.reset(size);
    double now = nowMillis();
    double fleet = fleetRatio();
    int busy = 0;
    for (int row = 0; row < size; row++) {
      RankTimes rank = rankOf(candidates.worker(row), row);
      rank.capacity((double) candidates.totalBlocks(row) * blockSize);
      busy += rank.waiting() > 0 ? 1 : 0;
      forecasts.set(
          row,
          rank.queueMillis(now),
          rank.waiting(),
          rank.decoding(),
          rank.promptTokens(),
          rank.slowdown(fleet));
    }
    smooth(now, size == 0 ? 0 : (double) busy / size);
    forecasts.prefillMillis = prefills.fixedMillis();
    forecasts.prefillMillisPerToken = prefills.millisPerToken();
    forecasts.capacityPrice = 1 + capacityPrice(nextBusyShare);
    forecasts.outputTokens = outputTokens;
    forecasts.residenceMillis = residenceMillis;
  }

  private RankTimes rankOf(WorkerWithDpRank worker, int row) {
    RankTimes known = rowTimes[row];
    if (known != null && worker.equals(rowRanks[row])) {
      return known;
    }
    RankTimes found = ranks.computeIfAbsent(worker, rank -> new RankTimes());
    rowRanks[row] = worker;
    rowTimes[row] = found;
    return found;
  }

  /** Takes a sample of who waits, to be kept if a booking follows: questions change nothing. */
  private void smooth(double now, double busy) {
    double elapsed = Math.max(0, now - busyShareMillis);
    double weight = Math.max(MIN_BUSY_WEIGHT, 1 - Math.exp(-elapsed / BUSY_MEMORY_MILLIS));
    nextBusyShare = busyShare + weight * (busy - busyShare);
    nextBusyShareMillis = now;
  }

  private static double capacityPrice(double share) {
    return Math.min(MAX_PRICE, share / Math.max(MIN_IDLE_SHARE, 1 - share));
  }

  @Override
  public WorkerLoad load(WorkerWithDpRank worker) {
    return delegate.load(worker);
  }

  @Override
  public boolean isBooked(BookingKey key) {
    return delegate.isBooked(key);
  }

  @Override
  public int bookingCount() {
    return delegate.bookingCount();
  }

  /** Returns observed over predicted prefill time of all ranks. */
  private double fleetRatio() {
    return predictedMillis > 0 && observedMillis > 0 ? observedMillis / predictedMillis : 1;
  }

  private double nowMillis() {
    return (clock.nanoTime() - originNanos - peerAgeNanos) / NANOS_PER_MILLI;
  }
}
