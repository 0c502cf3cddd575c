// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.fleet;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/** Outcome of one run: the per-request log, what went wrong when, and the sums. */
public final class FleetResult {
  private final FleetConfig config;
  private final RequestLog requests;
  private final List<Kill> kills;
  private final List<Migration> migrations;
  private final TokenTotals tokens;
  private final long newRequestMigrations;
  private final long ongoingMigrations;
  private final long continuationReusedTokens;
  private final long events;
  private final long endNanos;
  private final long traceHash;

  FleetResult(
      FleetConfig config,
      RequestLog requests,
      List<Kill> kills,
      List<Migration> migrations,
      TokenTotals tokens,
      long newRequestMigrations,
      long ongoingMigrations,
      long continuationReusedTokens,
      long events,
      long endNanos,
      long traceHash) {
    this.config = config;
    this.requests = requests;
    this.kills = Collections.unmodifiableList(kills);
    this.migrations = Collections.unmodifiableList(migrations);
    this.tokens = tokens;
    this.newRequestMigrations = newRequestMigrations;
    this.ongoingMigrations = ongoingMigrations;
    this.continuationReusedTokens = continuationReusedTokens;
    this.events = events;
    this.endNanos = endNanos;
    this.traceHash = traceHash;
  }

  public FleetConfig config() {
    return config;
  }

  public RequestLog requests() {
    return requests;
  }

  /** Returns every kill, in order of time. */
  public List<Kill> kills() {
    return kills;
  }

  /** Returns every continuation on another worker, in order of time. */
  public List<Migration> migrations() {
    return migrations;
  }

  public TokenTotals tokens() {
    return tokens;
  }

  /** Returns failures before a worker had opened its stream that were tried elsewhere. */
  public long newRequestMigrations() {
    return newRequestMigrations;
  }

  /** Returns broken streams that were continued elsewhere. */
  public long ongoingMigrations() {
    return ongoingMigrations;
  }

  /** Returns tokens of continuations that their workers found cached and did not prefill again. */
  public long continuationReusedTokens() {
    return continuationReusedTokens;
  }

  /** Returns the number of simulated events. */
  public long events() {
    return events;
  }

  /** Returns the virtual time of the last event. */
  public long endNanos() {
    return endNanos;
  }

  /** Returns the fold of every simulated event: equal for equal seeds. */
  public long traceHash() {
    return traceHash;
  }

  public long inputTokens() {
    return inputTokens(0);
  }

  private long inputTokens(int fromRow) {
    long sum = 0;
    for (int row = fromRow; row < requests.size(); row++) {
      sum += requests.inputTokens(row);
    }
    return sum;
  }

  public long reusedTokens() {
    return reusedTokens(0);
  }

  private long reusedTokens(int fromRow) {
    long sum = 0;
    for (int row = fromRow; row < requests.size(); row++) {
      sum += requests.reusedTokens(row);
    }
    return sum;
  }

  /** Returns reused input tokens over input tokens, 0…1. */
  public double hitRate() {
    return hitRate(0);
  }

  /** As {@link #hitRate()}, of the rows from {@code fromRow} on. */
  public double hitRate(int fromRow) {
    long input = inputTokens(fromRow);
    return input == 0 ? 0 : (double) reusedTokens(fromRow) / input;
  }

  public int completedStreams() {
    int completed = 0;
    for (int row = 0; row < requests.size(); row++) {
      if (requests.completed(row)) {
        completed++;
      }
    }
    return completed;
  }

  public int failedStreams() {
    return requests.size() - completedStreams();
  }

  /** Returns arrival to first token, of the requests that got one. */
  public Percentiles ttft() {
    return ttft(0);
  }

  /** As {@link #ttft()}, of the rows from {@code fromRow} on. */
  public Percentiles ttft(int fromRow) {
    double[] millis = new double[requests.size()];
    int n = 0;
    for (int row = fromRow; row < requests.size(); row++) {
      if (requests.firstTokenNanos(row) != RequestLog.NEVER) {
        millis[n++] = (requests.firstTokenNanos(row) - requests.arrivalNanos(row)) / 1e6;
      }
    }
    return Percentiles.of(Arrays.copyOf(millis, n));
  }

  /** Returns the mean time between tokens over all streams, in milliseconds. */
  public double meanItlMillis() {
    double sum = 0;
    long gaps = 0;
    for (int row = 0; row < requests.size(); row++) {
      if (requests.deliveredTokens(row) > 1) {
        sum += (requests.lastTokenNanos(row) - requests.firstTokenNanos(row)) / 1e6;
        gaps += requests.deliveredTokens(row) - 1;
      }
    }
    return gaps == 0 ? 0 : sum / gaps;
  }

  /** Returns break to next token, of the continuations that produced one. */
  public Percentiles migrationGap() {
    return Percentiles.of(
        migrations.stream()
            .filter(m -> m.gapNanos() >= 0)
            .mapToDouble(m -> m.gapNanos() / 1e6)
            .toArray());
  }

  /** Returns tokens that a restart would have had to generate again. */
  public long keptTokens() {
    return migrations.stream().mapToLong(Migration::keptTokens).sum();
  }

  /** Returns the number of requests that each worker was chosen for first. */
  public int[] requestsPerWorker() {
    int[] counts = new int[config.workers()];
    for (int row = 0; row < requests.size(); row++) {
      if (requests.firstWorker(row) >= 0) {
        counts[requests.firstWorker(row)]++;
      }
    }
    return counts;
  }

  /**
   * The death of one worker.
   *
   * @param atNanos virtual time
   * @param worker position in the fleet
   * @param openStreams streams that it broke
   */
  public record Kill(long atNanos, int worker, int openStreams) {}

  /**
   * One continuation.
   *
   * @param atNanos virtual time of the break
   * @param row the request
   * @param fromWorker position of the worker that failed
   * @param keptTokens tokens delivered before the break
   * @param gapNanos break to next token; -1 if none came
   */
  public record Migration(long atNanos, int row, int fromWorker, long keptTokens, long gapNanos) {}

  /**
   * What the clients saw, by an oracle that shares nothing with the engines.
   *
   * @param delivered tokens that arrived
   * @param lost tokens missing inside a stream, or at the end of one that ended cleanly
   * @param repeated tokens that arrived again
   * @param wrong tokens that belong nowhere
   */
  public record TokenTotals(long delivered, long lost, long repeated, long wrong) {
    /** Returns whether every token was the right one at the right place. */
    public boolean isExact() {
      return lost == 0 && repeated == 0 && wrong == 0;
    }
  }
}
