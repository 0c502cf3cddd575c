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
  private int[] places = new int[INITIAL_ROWS];
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

  // Whether some row has others than those that every row has unless set.
  private boolean hasFactors;
  private boolean hasSpeeds;
  private boolean hasCapacities;
  private boolean hasLowerTiers;

  /**
   * Whose ranks all rows are, in its order, so that the next decision need not place them again;
   * null if that is not so.
   */
  private @Nullable RankTable rowTable;

  private WorkerCandidates() {
    Arrays.fill(costFactors, 1);
    Arrays.fill(prefillSpeeds, 1);
    Arrays.fill(decodeSpeeds, 1);
  }

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
    forgetRows();
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
    forgetTable();
    int row = size++;
    workers[row] = Objects.requireNonNull(worker, "worker");
    places[row] = row;
    deviceBlocks[row] = device;
    hostBlocks[row] = host;
    diskBlocks[row] = disk;
    hasLowerTiers |= host != 0 || disk != 0;
    setLoad(row, 0, 0, trackedBlocks, 0);
    return row;
  }

  /**
   * Adds ranks of a table, column by column, without load.
   *
   * @param indexes where the table has them
   * @param count how many of the indexes count
   */
  void addAll(RankTable table, int[] indexes, int count, RankOverlap overlap) {
    int from = size;
    while (from + count > workers.length) {
      grow();
    }
    if (from > 0 || count < table.size() || rowTable != table) {
      place(table, indexes, from, count);
      rowTable = from == 0 && count == table.size() ? table : null;
    }
    size += count;
    for (int i = 0; i < count; i++) {
      deviceBlocks[from + i] = overlap.device(indexes[i]);
    }
    hasLowerTiers |= overlap.hasLower();
    for (int i = 0; i < count; i++) {
      hostBlocks[from + i] = overlap.hasLower() ? overlap.host(indexes[i]) : 0;
      diskBlocks[from + i] = overlap.hasLower() ? overlap.disk(indexes[i]) : 0;
    }
    Arrays.fill(activePrefillTokens, from, size, 0);
    Arrays.fill(activeBlocks, from, size, 0);
    Arrays.fill(addedBlocks, from, size, trackedBlocks);
    Arrays.fill(activeRequests, from, size, 0);
  }

  private void place(RankTable table, int[] indexes, int from, int count) {
    forgetTable();
    for (int i = 0; i < count; i++) {
      places[from + i] = indexes[i];
      workers[from + i] = table.rank(indexes[i]);
    }
  }

  /** Sets what the ranks of a table can hold and compute, where rows say where they are in it. */
  void setCapacities(RankTable table) {
    if (rowTable == table && hasCapacities) {
      return;
    }
    hasCapacities = true;
    for (int row = 0; row < size; row++) {
      totalBlocks[row] = table.totalBlocks(places[row]);
      batchTokens[row] = table.batchTokens(places[row]);
    }
  }

  /** Puts back what rows are not given with every decision. Ranks stay until others come. */
  private void forgetRows() {
    if (hasFactors) {
      Arrays.fill(costFactors, 1);
    }
    if (hasSpeeds) {
      Arrays.fill(prefillSpeeds, 1);
      Arrays.fill(decodeSpeeds, 1);
    }
    if (rowTable == null) {
      forgetCapacities();
    }
    hasFactors = false;
    hasSpeeds = false;
    hasLowerTiers = false;
  }

  private void forgetCapacities() {
    if (hasCapacities) {
      Arrays.fill(totalBlocks, 0);
      Arrays.fill(batchTokens, 0);
      hasCapacities = false;
    }
  }

  /** Rows become others than those of a whole table, of which everything was kept. */
  private void forgetTable() {
    if (rowTable != null) {
      rowTable = null;
      forgetCapacities();
    }
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
   * Sets every row's load but the added blocks, from columns of a tracker.
   *
   * @param indexes where in the columns each row's rank is
   */
  void setLoads(int[] indexes, long[] prefillTokens, long[] blocks, int[] requests) {
    for (int row = 0; row < size; row++) {
      int index = indexes[row];
      activePrefillTokens[row] = prefillTokens[index];
      activeBlocks[row] = blocks[index];
      activeRequests[row] = requests[index];
    }
  }

  /** Sets every row's added blocks to those of the prompt that its rank does not hold. */
  void setAddedBlocks(int[] indexes, int[] depths, int promptBlocks) {
    for (int row = 0; row < size; row++) {
      addedBlocks[row] = promptBlocks - depths[indexes[row]];
    }
  }

  void setActivePrefillTokens(int row, long tokens) {
    activePrefillTokens[row] = tokens;
  }

  /** Returns the table whose ranks all rows are, in its order; null if that is not so. */
  @Nullable RankTable rowTable() {
    return rowTable;
  }

  /**
   * Sets what a row's whole cost is multiplied with; 1 unless set.
   *
   * @throws IllegalArgumentException if the factor is not positive and finite
   */
  public void setCostFactor(int row, double factor) {
    Objects.checkIndex(row, size);
    hasFactors = true;
    costFactors[row] = positive("cost factor", row, factor);
  }

  /**
   * Sets how fast a row's rank is, relative to the others; 1 unless set.
   *
   * @throws IllegalArgumentException if a speed is not positive and finite
   */
  public void setSpeeds(int row, double prefill, double decode) {
    Objects.checkIndex(row, size);
    hasSpeeds = true;
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
    hasCapacities = true;
    rowTable = null;
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
    rowTable = null;
    int last = --size;
    workers[row] = workers[last];
    places[row] = places[last];
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

  /**
   * Returns where the fleet has the row's rank, so that what is known of a rank need not be looked
   * up; a hint, which says nothing of who is there.
   */
  int place(int row) {
    return places[row];
  }

  /** Sets {@link #place}, the row's own number unless set. */
  void setPlace(int row, int place) {
    places[row] = place;
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

  /** Returns whether some row's cost is multiplied with something. */
  boolean hasFactors() {
    return hasFactors;
  }

  /** Returns whether some row may have blocks below its device. */
  boolean hasLowerTiers() {
    return hasLowerTiers;
  }

  /** Returns whether some row has another speed than 1. */
  boolean hasSpeeds() {
    return hasSpeeds;
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
    int before = workers.length;
    int rows = before * 2;
    workers = Arrays.copyOf(workers, rows);
    places = Arrays.copyOf(places, rows);
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
    Arrays.fill(costFactors, before, rows, 1);
    Arrays.fill(prefillSpeeds, before, rows, 1);
    Arrays.fill(decodeSpeeds, before, rows, 1);
    totalBlocks = Arrays.copyOf(totalBlocks, rows);
    batchTokens = Arrays.copyOf(batchTokens, rows);
  }
}
