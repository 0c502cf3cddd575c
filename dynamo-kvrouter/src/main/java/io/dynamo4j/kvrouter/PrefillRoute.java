// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

/** Where a request of a disaggregated fleet has its prompt computed, and why there. */
public enum PrefillRoute {
  /** A worker of the prefill pool, which hands over to the decode worker. */
  REMOTE,

  /** The decode worker: {@link PrefillBypass} found the way over the prefill pool not worth it. */
  BYPASSED,

  /** The decode worker: no prefill worker may take the request. */
  NO_PREFILL_WORKER,

  /** The decode worker: those prefill workers that may take the request carry too much. */
  PREFILL_OVERLOADED;

  /** Returns whether a prefill worker takes part. */
  public boolean isRemote() {
    return this == REMOTE;
  }
}
