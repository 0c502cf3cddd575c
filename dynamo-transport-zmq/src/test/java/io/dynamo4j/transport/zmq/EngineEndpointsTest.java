// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.zmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;

class EngineEndpointsTest {

  @Test
  void shouldPutTheHostWhereAWildcardIs() {
    assertThat(EngineEndpoints.atHost("tcp://*:5557", "h")).isEqualTo("tcp://h:5557");
    assertThat(EngineEndpoints.atHost("tcp://0.0.0.0:1", "10.0.0.7")).isEqualTo("tcp://10.0.0.7:1");
    assertThat(EngineEndpoints.atHost("tcp://[::]:5557", "fe80::1"))
        .isEqualTo("tcp://[fe80::1]:5557");
    assertThat(EngineEndpoints.atHost("tcp://:::5557", "h")).isEqualTo("tcp://h:5557");
    assertThat(EngineEndpoints.atHost("tcp://other:5557", "h")).isEqualTo("tcp://other:5557");
    assertThat(EngineEndpoints.atHost("ipc:///run/kv", "h")).isEqualTo("ipc:///run/kv");
  }

  @Test
  void shouldCountPortsOnByRank() {
    assertThat(EngineEndpoints.ofRank("tcp://h:5557", 0)).isEqualTo("tcp://h:5557");
    assertThat(EngineEndpoints.ofRank("tcp://[fe80::1]:5557", 3)).isEqualTo("tcp://[fe80::1]:5560");
    assertThat(EngineEndpoints.ofRank("inproc://kv", 2)).isEqualTo("inproc://kv_dp2");
    assertThat(EngineEndpoints.ofRank("ipc:///run/kv", 0)).isEqualTo("ipc:///run/kv");
  }

  @Test
  void shouldRefuseWhatCannotBeDialled() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> EngineEndpoints.ofRank("ipc:///run/kv", 1))
        .withMessage("ranks need tcp or inproc: endpoint=ipc:///run/kv, dpRank=1");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> EngineEndpoints.ofRank("tcp://h:65535", 1));
    assertThatIllegalArgumentException().isThrownBy(() -> EngineEndpoints.atHost("tcp://*:0", "h"));
    assertThatIllegalArgumentException().isThrownBy(() -> EngineEndpoints.atHost("tcp://*:x", "h"));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> EngineEndpoints.atHost("tcp://host", "h"));
  }
}
