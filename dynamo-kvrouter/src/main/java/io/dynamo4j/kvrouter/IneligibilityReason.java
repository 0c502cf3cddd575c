// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

/** Why a registered rank was no candidate; the first rule that applies, in this order. */
public enum IneligibilityReason {
  /** Another worker or rank is pinned. */
  NOT_PINNED,
  /** The caller's allow-list does not name it. */
  NOT_ALLOWED,
  /** It lacks a required taint. */
  TAINT_MISSING,
  /** It already failed this request. */
  FAILED_THIS_REQUEST,
  /** It is being drained. */
  DRAINING,
  /** All ranks of its worker are beyond a busy threshold. */
  OVERLOADED,
  /** The policy's filters refused it. */
  FILTERED
}
