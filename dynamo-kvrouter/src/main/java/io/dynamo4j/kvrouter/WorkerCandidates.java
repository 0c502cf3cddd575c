// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.model.WorkerWithDpRank;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What one decision is made from: the request's sizes and one row for each eligible rank.
 *
 * <p>Columns are parallel arrays that are reused from decision to decision, so that a decision
 * makes no garbage. The router adds rows with their cached blocks, an {@link ActiveBlockTracker}
 * fills in the load, a {@link WorkerSelector} reads. A host that uses a selector alone fills both.
 *
 * <p><b>Threads.</b> Not thread-safe: one decision.
 */
public final class WorkerCandidates {
  private static final int INITIAL_ROWS = 16;

  private int blockSize = 1;
  private int promptTokens;
  private int trackedBlocks;
  private boolean tracksPrefillTokens = true;
  private int size;
  private WorkerWithDpRank[] workers = new WorkerWithDpRank[INITIAL_ROWS];
  private int[] deviceBlocks = new int[INITIAL_ROWS];
  private int[] hostBlocks = new int[INITIAL_ROWS];
  private int[] diskBlocks = new int[INITIAL_ROWS];
  private long[] activePrefillTokens = new long[INITIAL_ROWS];
  private long[] activeBlocks = new long[INITIAL_ROWS];
  private int[] addedBlocks = new int[INITIAL_ROWS];
  private int[] activeRequests = new int[INITIAL_ROWS];
  private double[] costFactors = new double[INITIAL_ROWS];
  private double[] prefillSpeeds = new double[INITIAL_ROWS];
  private double[] decodeSpeeds = new double[INITIAL_ROWS];
  private long[] totalBlocks = new long[INITIAL_ROWS];
  private long[] batchTokens = new long[INITIAL_ROWS];
  private final Forecasts forecasts = new Forecasts();

  private WorkerCandidates() {}

  public static WorkerCandidates create() {
    return new WorkerCandidates();
  }

  /**
   * Begins another decision and forgets all rows.
   *
   * @param promptTokens tokens of the prompt, 0 allowed
   * @param blockSize tokens per block, at least 1
   * @param trackedBlocks prompt blocks that a booking will count, 0 where blocks are not tracked
   * @param tracksPrefillTokens whether prompt tokens count as load
   */
  public void reset(
      int promptTokens, int blockSize, int trackedBlocks, boolean tracksPrefillTokens) {
    if (promptTokens < 0 || blockSize < 1 || trackedBlocks < 0) {
      throw new IllegalArgumentException(
          "sizes out of range: promptTokens="
              + promptTokens
              + ", blockSize="
              + blockSize
              + ", trackedBlocks="
              + trackedBlocks);
    }
    Arrays.fill(workers, 0, size, null);
    this.size = 0;
    this.promptTokens = promptTokens;
    this.blockSize = blockSize;
    this.trackedBlocks = trackedBlocks;
    this.tracksPrefillTokens = tracksPrefillTokens;
    forecasts.reset(0);
  }

  /**
   * Adds a rank without load.
   *
   * @param device leading blocks of the prompt in device memory
   * @param host blocks in host memory that continue those
   * @param disk blocks on disk that continue those
   * @return the new row
   */
  public int add(WorkerWithDpRank worker, int device, int host, int disk) {
    if (size == workers.length) {
      grow();
    }
    int row = size++;
    workers[row] = Objects.requireNonNull(worker, "worker");
    deviceBlocks[row] = device;
    hostBlocks[row] = host;
    diskBlocks[row] = disk;
    costFactors[row] = 1;
    prefillSpeeds[row] = 1;
    decodeSpeeds[row] = 1;
    totalBlocks[row] = 0;
    batchTokens[row] = 0;
    setLoad(row, 0, 0, trackedBlocks, 0);
    return row;
  }

  /**
   * Sets a row's load.
   *
   * @param activePrefillTokens prompt tokens of the rank's requests that are not computed yet
   * @param activeBlocks distinct blocks that the rank's requests hold
   * @param addedBlocks blocks that this request would add to those
   * @param activeRequests requests in flight
   */
  public void setLoad(
      int row, long activePrefillTokens, long activeBlocks, int addedBlocks, int activeRequests) {
    Objects.checkIndex(row, size);
    this.activePrefillTokens[row] = activePrefillTokens;
    this.activeBlocks[row] = activeBlocks;
    this.addedBlocks[row] = addedBlocks;
    this.activeRequests[row] = activeRequests;
  }

  /**
   * Sets what a row's whole cost is multiplied with; 1 unless set.
   *
   * @throws IllegalArgumentException if the factor is not positive and finite
   */
  public void setCostFactor(int row, double factor) {
    Objects.checkIndex(row, size);
    costFactors[row] = positive("cost factor", row, factor);
  }

  /**
   * Sets how fast a row's rank is, relative to the others; 1 unless set.
   *
   * @throws IllegalArgumentException if a speed is not positive and finite
   */
  public void setSpeeds(int row, double prefill, double decode) {
    Objects.checkIndex(row, size);
    prefillSpeeds[row] = positive("prefill speed", row, prefill);
    decodeSpeeds[row] = positive("decode speed", row, decode);
  }

  /**
   * Sets what a row's rank can hold and compute; unknown unless set. Only a prediction asks.
   *
   * @param blocks blocks of its cache, not positive if unknown
   * @param tokens tokens of one step, not positive if unknown
   */
  public void setCapacity(int row, long blocks, long tokens) {
    Objects.checkIndex(row, size);
    totalBlocks[row] = blocks;
    batchTokens[row] = tokens;
  }

  /**
   * Sets what a prediction takes from the fleet and from each row; a router with {@link
   * KvPolicy#KV_PREDICTED} does.
   *
   * @param rows one for each row, in their order
   * @throws IllegalArgumentException if there are more or fewer, or a figure is not finite
   */
  public void setForecast(FleetForecast fleet, List<RankForecast> rows) {
    if (rows.size() != size) {
      throw new IllegalArgumentException(
          "forecast must have one rank for each row: ranks=" + rows.size() + ", rows=" + size);
    }
    forecasts.reset(size);
    forecasts.setFleet(fleet);
    for (int row = 0; row < size; row++) {
      RankForecast rank = rows.get(row);
      forecasts.set(
          row,
          rank.queueMillis(),
          rank.waitingRequests(),
          rank.decodingRequests(),
          rank.bookedTokens(),
          rank.slowdown());
    }
  }

  private double positive(String what, int row, double value) {
    if (!(value > 0 && value < Double.POSITIVE_INFINITY)) {
      throw new IllegalArgumentException(
          what + " must be positive and finite: worker=" + workers[row] + ", value=" + value);
    }
    return value;
  }

  /** Becomes equal to another decision's rows. */
  void copyFrom(WorkerCandidates other) {
    reset(other.promptTokens, other.blockSize, other.trackedBlocks, other.tracksPrefillTokens);
    for (int row = 0; row < other.size; row++) {
      DecisionCandidate.of(other, row, Double.NaN, null).addTo(this);
    }
    forecasts.copyFrom(other.forecasts);
  }

  /** Drops a row; the last one takes its place. */
  void removeRow(int row) {
    int last = --size;
    workers[row] = workers[last];
    deviceBlocks[row] = deviceBlocks[last];
    hostBlocks[row] = hostBlocks[last];
    diskBlocks[row] = diskBlocks[last];
    activePrefillTokens[row] = activePrefillTokens[last];
    activeBlocks[row] = activeBlocks[last];
    addedBlocks[row] = addedBlocks[last];
    activeRequests[row] = activeRequests[last];
    costFactors[row] = costFactors[last];
    prefillSpeeds[row] = prefillSpeeds[last];
    decodeSpeeds[row] = decodeSpeeds[last];
    totalBlocks[row] = totalBlocks[last];
    batchTokens[row] = batchTokens[last];
    if (forecasts.isPresent()) {
      forecasts.removeRow(row);
    }
  }

  /** Returns the number of rows. */
  public int size() {
    return size;
  }

  /** Returns tokens per block. */
  public int blockSize() {
    return blockSize;
  }

  public int promptTokens() {
    return promptTokens;
  }

  /** Returns blocks of the prompt, a partial last one included. */
  public int promptBlocks() {
    return (int) ((promptTokens + (long) blockSize - 1) / blockSize);
  }

  /** Returns prompt blocks that a booking will count. */
  public int trackedBlocks() {
    return trackedBlocks;
  }

  /** Returns whether prompt tokens count as load for this request. */
  public boolean tracksPrefillTokens() {
    return tracksPrefillTokens;
  }

  public WorkerWithDpRank worker(int row) {
    return workers[Objects.checkIndex(row, size)];
  }

  /** Returns leading prompt blocks that the rank holds in device memory. */
  public int deviceBlocks(int row) {
    return deviceBlocks[row];
  }

  /** Returns blocks in host memory that continue the device prefix. */
  public int hostBlocks(int row) {
    return hostBlocks[row];
  }

  /** Returns blocks on disk that continue the device and host prefix. */
  public int diskBlocks(int row) {
    return diskBlocks[row];
  }

  /** Returns prompt tokens that the rank's requests still have to compute. */
  public long activePrefillTokens(int row) {
    return activePrefillTokens[row];
  }

  /** Returns distinct blocks that the rank's requests hold. */
  public long activeBlocks(int row) {
    return activeBlocks[row];
  }

  /** Returns blocks that this request would add to {@link #activeBlocks}. */
  public int addedBlocks(int row) {
    return addedBlocks[row];
  }

  /** Returns the rank's requests in flight. */
  public int activeRequests(int row) {
    return activeRequests[row];
  }

  /** Returns what the rank's whole cost is multiplied with. */
  public double costFactor(int row) {
    return costFactors[row];
  }

  /** Returns how fast the rank computes prompts, relative to the others. */
  public double prefillSpeed(int row) {
    return prefillSpeeds[row];
  }

  /** Returns how fast the rank generates, relative to the others. */
  public double decodeSpeed(int row) {
    return decodeSpeeds[row];
  }

  /** Returns blocks of the rank's cache, not positive if unknown. */
  public long totalBlocks(int row) {
    return totalBlocks[row];
  }

  /** Returns tokens that the rank computes in one step, not positive if unknown. */
  public long batchTokens(int row) {
    return batchTokens[row];
  }

  /** Returns what a prediction takes from the fleet, null where the router predicts nothing. */
  public @Nullable FleetForecast fleetForecast() {
    return forecasts.isPresent() ? forecasts.fleet() : null;
  }

  /** Returns what a prediction takes from a row, null where the router predicts nothing. */
  public @Nullable RankForecast rankForecast(int row) {
    return forecasts.isPresent() ? forecasts.rank(row) : null;
  }

  /** Returns the columns of a prediction. */
  Forecasts forecasts() {
    return forecasts;
  }

  /** Returns the smallest {@link #activePrefillTokens} of all rows, 0 where there are none. */
  public long minActivePrefillTokens() {
    long min = size == 0 ? 0 : activePrefillTokens[0];
    for (int row = 1; row < size; row++) {
      min = Math.min(min, activePrefillTokens[row]);
    }
    return min;
  }

  private void grow() {
    int rows = size * 2;
    workers = Arrays.copyOf(workers, rows);
    deviceBlocks = Arrays.copyOf(deviceBlocks, rows);
    hostBlocks = Arrays.copyOf(hostBlocks, rows);
    diskBlocks = Arrays.copyOf(diskBlocks, rows);
    activePrefillTokens = Arrays.copyOf(activePrefillTokens, rows);
    activeBlocks = Arrays.copyOf(activeBlocks, rows);
    addedBlocks = Arrays.copyOf(addedBlocks, rows);
    activeRequests = Arrays.copyOf(activeRequests, rows);
    costFactors = Arrays.copyOf(costFactors, rows);
    prefillSpeeds = Arrays.copyOf(prefillSpeeds, rows);
    decodeSpeeds = Arrays.copyOf(decodeSpeeds, rows);
    totalBlocks = Arrays.copyOf(totalBlocks, rows);
    batchTokens = Arrays.copyOf(batchTokens, rows);
  }
}
