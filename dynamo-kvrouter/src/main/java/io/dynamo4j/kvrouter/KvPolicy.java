// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import java.util.Arrays;
import java.util.Optional;

/** The policies that a {@link KvRouter} brings along; a host adds others as a selector. */
public enum KvPolicy {
  /** Dynamo's cost in blocks, with its defaults: {@link KvWorkerScorer}. */
  KV("kv"),

  /** The predicted time to the first token, in milliseconds: {@link PredictedWorkerScorer}. */
  KV_PREDICTED("kv-predicted");

  private final String optionName;

  KvPolicy(String optionName) {
    this.optionName = optionName;
  }

  /** Returns the name that command lines and reports use. */
  public String optionName() {
    return optionName;
  }

  /** Finds a policy by its {@link #optionName}. */
  public static Optional<KvPolicy> byName(String optionName) {
    return Arrays.stream(values()).filter(p -> p.optionName.equals(optionName)).findFirst();
  }

  /** Returns the selector of this policy. */
  WorkerSelector selector(KvRouterConfig config, PredictionConfig prediction) {
    return this == KV
        ? DefaultWorkerSelector.of(config)
        : PredictedWorkerScorer.of(config, prediction).selector();
  }
}
