// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.model;

/** Why an engine stopped. */
public enum FinishReason {
  EOS("eos"),
  LENGTH("length"),
  STOP("stop"),
  CANCELLED("cancelled"),
  CONTENT_FILTER("content_filter"),
  ERROR("error");

  private final String wireName;

  FinishReason(String wireName) {
    this.wireName = wireName;
  }

  public String wireName() {
    return wireName;
  }

  /** Returns whether the answer is whole: neither cut off by an error nor by a cancellation. */
  public boolean isComplete() {
    return this != CANCELLED && this != ERROR;
  }
}
