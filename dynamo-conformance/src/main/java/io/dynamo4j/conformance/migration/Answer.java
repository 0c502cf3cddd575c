// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.migration;

import io.dynamo4j.core.model.CompletionUsage;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What one client got.
 *
 * @param end how it ended: {@code completed}, {@code left}, {@code hanging}, or the class of error
 * @param texts by choice, as far as the client got them; without empty ones
 * @param finishReasons by choice, in order
 * @param usage what the answer took, or null if the client is not told
 * @param logProbs of each token of the first choice, rounded, where asked for
 * @param annotations what the client was told beside the answer
 */
record Answer(
    String end,
    Map<Integer, String> texts,
    Map<Integer, List<String>> finishReasons,
    @Nullable CompletionUsage usage,
    List<String> logProbs,
    List<String> annotations) {
  static final String COMPLETED = "completed";
  static final String LEFT = "left";
  static final String HANGING = "hanging";

  static String failed(int code) {
    return "failed:" + code;
  }
}
