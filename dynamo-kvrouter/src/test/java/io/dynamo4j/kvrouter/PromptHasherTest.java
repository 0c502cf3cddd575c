// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.model.RoutingHints;
import io.dynamo4j.core.token.TokenSlice;
import org.junit.jupiter.api.Test;

class PromptHasherTest {
  private static final TokenSlice TOKENS = RouterFixture.tokens(0, 8);

  private final PromptHasher hasher = new PromptHasher(4);

  private long[] hashes(String adapter, String namespace) {
    RoutingHints hints = RoutingHints.builder().loraName(adapter).cacheNamespace(namespace).build();
    return hasher.of(hints).hash(TOKENS);
  }

  @Test
  void shouldKeepNamespacesAndAdaptersApart() {
    assertThat(hashes("", "")).isNotEqualTo(hashes("a", ""));
    assertThat(hashes("a", "")).isNotEqualTo(hashes("", "a"));
    assertThat(hashes("a", "b")).isNotEqualTo(hashes("b", "a"));
    assertThat(hashes("a", "b")).isEqualTo(hashes("a", "b"));
  }

  @Test
  void shouldKeepABoundedNumberWhateverCallersName() {
    long[] first = hashes("", "tenant-0");
    for (int i = 0; i < 3 * PromptHasher.MAX_HASHERS; i++) {
      hashes("", "tenant-" + i);
    }

    assertThat(hasher.size()).isEqualTo(PromptHasher.MAX_HASHERS);
    assertThat(hashes("", "tenant-0")).isEqualTo(first);
  }
}
