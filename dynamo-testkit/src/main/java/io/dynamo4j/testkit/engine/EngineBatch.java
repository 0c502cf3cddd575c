// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.engine;

import java.util.Arrays;

/** What one step computes: which requests, how many prompt tokens of each. Reused. */
final class EngineBatch {
  private EngineRequest[] requests = new EngineRequest[16];
  private int[] chunks = new int[16];
  private int size;
  private int budget;
  private long prefillTokens;
  private long decodeContextTokens;

  void begin(int budget) {
    Arrays.fill(requests, 0, size, null);
    size = 0;
    this.budget = budget;
    prefillTokens = 0;
    decodeContextTokens = 0;
  }

  int budget() {
    return budget;
  }

  /** Computes {@code tokens} of a request's context. */
  void addPrefill(EngineRequest request, int tokens) {
    add(request, tokens);
    prefillTokens += tokens;
    budget -= tokens;
  }

  /** Generates one token over the whole context. */
  void addDecode(EngineRequest request) {
    add(request, 0);
    decodeContextTokens += request.contextTokens();
    budget--;
  }

  boolean isEmpty() {
    return size == 0;
  }

  int size() {
    return size;
  }

  EngineRequest request(int index) {
    return requests[index];
  }

  /** Returns the prompt tokens computed; 0 for a request that decodes. */
  int chunk(int index) {
    return chunks[index];
  }

  long prefillTokens() {
    return prefillTokens;
  }

  long decodeContextTokens() {
    return decodeContextTokens;
  }

  private void add(EngineRequest request, int chunk) {
    if (size == chunks.length) {
      requests = Arrays.copyOf(requests, size * 2);
      chunks = Arrays.copyOf(chunks, size * 2);
    }
    requests[size] = request;
    chunks[size++] = chunk;
  }
}
