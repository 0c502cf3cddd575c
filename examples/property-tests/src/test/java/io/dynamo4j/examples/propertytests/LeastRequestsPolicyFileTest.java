// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.examples.propertytests;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.kvrouter.KvRouterConfig;
import io.dynamo4j.kvrouter.PolicyFile;
import io.dynamo4j.kvrouter.QueueConfig;
import io.dynamo4j.kvrouter.SelectionPolicies;
import org.junit.jupiter.api.Test;

/** A policy file names the host's own selection of workers. */
class LeastRequestsPolicyFileTest {

  @Test
  void shouldSelectByTheKindThatTheFileNames() {
    SelectionPolicies policies =
        SelectionPolicies.builder()
            .register("least-requests", parameters -> new LeastRequestsSelector())
            .build();
    QueueConfig queue =
        PolicyFile.parse(
                """
                policy_classes: [{name: all}]
                worker_selection:
                  decode: fewest
                  instances: [{name: fewest, type: least-requests}]
                """)
            .queue("any")
            .orElseThrow();
    KvRouterConfig config = KvRouterConfig.ofDefaults();

    assertThat(policies.selector("decode", queue, config))
        .isInstanceOf(LeastRequestsSelector.class);
    assertThat(policies.selector("prefill", queue, config))
        .isNotInstanceOf(LeastRequestsSelector.class);
  }
}
