// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;

class KvEventsConfigTest {

  @Test
  void shouldHaveTheEnginesDefaults() {
    KvEventsConfig config = KvEventsConfig.parse("{\"enable_kv_cache_events\": true}");
    assertThat(config.disabledBecause()).isNull();
    assertThat(config.endpoint()).isEqualTo("tcp://*:5557");
    assertThat(config.replayEndpoint()).isNull();
    assertThat(config.topic()).isEmpty();
    assertThat(config.bufferSteps()).isEqualTo(10_000);
    assertThat(config.highWater()).isEqualTo(100_000);
    assertThat(config.engineBinds()).isTrue();
  }

  @Test
  void shouldTakeWhatTheEngineIsGiven() {
    KvEventsConfig config =
        KvEventsConfig.parse(
            """
            {"publisher": "zmq", "endpoint": "tcp://10.0.0.1:7000", "replay_endpoint": "tcp://*:7100",
             "topic": "kv", "buffer_steps": 5, "hwm": 9, "max_queue_size": 1, "format": "dynamo"}
            """);
    assertThat(config.disabledBecause()).isNull();
    assertThat(config.endpoint()).isEqualTo("tcp://10.0.0.1:7000");
    assertThat(config.replayEndpoint()).isEqualTo("tcp://*:7100");
    assertThat(config.topic()).isEqualTo("kv");
    assertThat(config.bufferSteps()).isEqualTo(5);
    assertThat(config.highWater()).isEqualTo(9);
    assertThat(config.engineBinds()).isFalse();
  }

  @Test
  void shouldSayWhyAnEnginePublishesNothing() {
    assertThat(KvEventsConfig.parse("{}").disabledBecause()).contains("neither");
    assertThat(
            KvEventsConfig.parse("{\"enable_kv_cache_events\":false,\"publisher\":\"zmq\"}")
                .disabledBecause())
        .isEqualTo("enable_kv_cache_events is false");
    assertThat(
            KvEventsConfig.parse("{\"enable_kv_cache_events\":true,\"publisher\":\"null\"}")
                .disabledBecause())
        .isEqualTo("publisher is null");
    assertThat(KvEventsConfig.parse("{\"publisher\":\"zmq\"}").disabledBecause()).isNull();
  }

  @Test
  void shouldKnowWhoBinds() {
    assertThat(binds("{\"endpoint\":\"tcp://[::]:5557\"}")).isTrue();
    assertThat(binds("{\"endpoint\":\"tcp://0.0.0.0:5557\"}")).isTrue();
    assertThat(binds("{\"endpoint\":\"ipc:///run/kv\"}")).isTrue();
    assertThat(binds("{\"endpoint\":\"tcp://gateway:5557\"}")).isFalse();
    assertThat(binds("{\"endpoint\":\"tcp://gateway:5557\",\"bind\":true}")).isTrue();
    assertThat(binds("{\"endpoint\":\"tcp://*:5557\",\"bind\":false}")).isFalse();
    assertThat(binds("{\"endpoint\":\"tcp://*:5557\",\"bind\":null}")).isTrue();
  }

  private static boolean binds(String json) {
    return KvEventsConfig.parse(json).engineBinds();
  }

  @Test
  void shouldRefuseWhatIsNoConfiguration() {
    assertThatIllegalArgumentException().isThrownBy(() -> KvEventsConfig.parse("[]"));
    assertThatIllegalArgumentException().isThrownBy(() -> KvEventsConfig.parse("{"));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> KvEventsConfig.parse("{\"endpoint\": 5}"))
        .withMessageContaining("\"endpoint\": 5");
  }
}
