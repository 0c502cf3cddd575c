// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.scenario;

/** The invariants of a fleet; a broken one names itself in the run's outcome. */
enum Oracle {
  /** A delivered token is not the one that its complete context calls for. */
  TOKENS,
  /** More was delivered or asked for than the client had asked for. */
  DEMAND,
  /** A stream signalled after its end, or ended twice. */
  TERMINAL,
  /** A stream ended cleanly with too few or too many tokens. */
  LENGTH,
  /** A request was dispatched more often than its limit allows. */
  BUDGET,
  /** The client got an error although another attempt was allowed and possible. */
  GAVE_UP,
  /** An attempt was lost and no fault explains it. */
  UNEXPLAINED_LOSS,
  /** A request went to a worker that had failed it while another was there, or to a dead one. */
  EXCLUSION,
  /** A booking was missing at dispatch, freed twice, or alive when its attempt's end was told. */
  BOOKING,
  /** A worker goes on working for a client that has left. */
  CANCELLED_WORK,
  /** An engine broke its own invariants or was asked for the impossible. */
  ENGINE,
  /** Something never ended. */
  HANG,
  /** A timer outlived the request that armed it. */
  TIMER,
  /** A pause was shorter or longer than it should be, or a request outlived its deadline. */
  TIMES,
  /** At rest, the index and the engines' caches differ. */
  INDEX,
  /** At rest, counters and ledger differ. */
  METRICS
}
