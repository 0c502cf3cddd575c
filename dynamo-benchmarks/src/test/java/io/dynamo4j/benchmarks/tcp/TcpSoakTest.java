// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.benchmarks.BenchOptions;
import io.dynamo4j.benchmarks.BenchResult;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class TcpSoakTest {

  @Test
  @Tag("slow")
  void shouldStreamBetweenTwoProcesses() {
    BenchResult result = new TcpSoak().run(new BenchOptions(/* quick= */ true));

    assertThat(result.facts())
        .anySatisfy(
            fact -> {
              assertThat(fact.quantity()).isEqualTo("soak-tcp clients that left");
              assertThat(fact.value()).isEqualTo(10);
            });
  }

  @Test
  void shouldNoticeAStreamThatEndsEarly() {
    CheckedStream client =
        new CheckedStream(1, 2, 3, 4, new CountDownLatch(1), new CountDownLatch(1));

    client.onComplete();

    assertThat(client.fault()).isEqualTo("ended early: stream=1, place=0");
  }
}
