// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

/**
 * Where a migrator departs from what Dynamo 1.6.1 was measured to do. Each is on unless {@link
 * MigrationOptions.Builder#without} switches it off; {@link MigrationOptions#upstreamCompatible}
 * switches all of them off.
 */
public enum Correction {
  /** An answer that had its finish reason is never continued, nor turned into an error (M1). */
  END_FINISHED_ANSWERS,
  /** An answer that has used its budget or met a stop token is ended here, not elsewhere (M2). */
  END_WHOLE_ANSWERS,
  /** What a worker generates beyond the request's budget is cut off (M2). */
  CLIP_OVERRUNS,
  /**
   * A worker that failed a request is ruled out for it in every selection mode (M5). Off, as
   * upstream does outside its KV mode, a retry may meet it again.
   */
  EXCLUDE_FAILED_WORKERS,
  /** Only tokens are progress; items without any do not keep a silent worker alive (M8). */
  COUNT_TOKENS_AS_PROGRESS,
  /** A stream that ends without finish reason, or as cancelled unasked, is not a success (M9). */
  REFUSE_INCOMPLETE_ENDS,
  /** Requests that cannot be continued are still tried elsewhere until a stream opens (M10). */
  RETRY_UNTIL_OPENED,
  /** Answers to input embeddings are not continued from their tokens (M12). */
  PROTECT_EMBEDDINGS,
  /** Tokens are held beyond the last attempt, so that a drain can move the stream. */
  MOVE_ON_DRAIN
}
