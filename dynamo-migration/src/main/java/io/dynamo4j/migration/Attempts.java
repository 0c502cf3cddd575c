// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import org.jspecify.annotations.Nullable;

/**
 * The attempts of a request that run now: none, one, or for a while two. Belongs to the request's
 * lane.
 */
final class Attempts<R> {

  /** What a second attempt is for. */
  enum Pairing {
    /** There is no second attempt. */
    NONE,
    /** Whichever brings a token first goes on. */
    HEDGE,
    /**
     * The second one goes on once its stream is open; the first one's items are kept until then.
     */
    MOVE
  }

  private @Nullable AttemptRun<R> lead;
  private @Nullable AttemptRun<R> rival;
  private Pairing pairing = Pairing.NONE;

  /** Returns the attempt whose items the client gets, or null between two. */
  @Nullable AttemptRun<R> lead() {
    return lead;
  }

  @Nullable AttemptRun<R> rival() {
    return rival;
  }

  Pairing pairing() {
    return pairing;
  }

  boolean arePaired() {
    return pairing != Pairing.NONE;
  }

  void begin(AttemptRun<R> run) {
    lead = run;
  }

  void beginBeside(AttemptRun<R> run, Pairing purpose) {
    rival = run;
    pairing = purpose;
  }

  boolean isRival(AttemptRun<R> run) {
    return run == rival;
  }

  /** Leaves one attempt and returns the other, if there is one. */
  @Nullable AttemptRun<R> settle(AttemptRun<R> remaining) {
    AttemptRun<R> other = remaining == rival ? lead : rival;
    lead = remaining;
    rival = null;
    pairing = Pairing.NONE;
    return other;
  }

  /** Takes one attempt out and returns the other, which then leads, if there is one. */
  @Nullable AttemptRun<R> remove(AttemptRun<R> run) {
    lead = run == rival ? lead : rival;
    rival = null;
    pairing = Pairing.NONE;
    return lead;
  }

  /** Leaves none. */
  void clear() {
    lead = null;
    rival = null;
    pairing = Pairing.NONE;
  }

  void request(long n) {
    AttemptRun<R> first = lead;
    AttemptRun<R> second = rival; // Leads when the first one fails at this.
    if (first != null) {
      first.request(n);
    }
    if (second != null) {
      second.request(n);
    }
  }
}
