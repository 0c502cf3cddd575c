// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.zmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.dynamo4j.plane.EventEnvelope;
import io.dynamo4j.plane.EventScope;
import io.dynamo4j.plane.transport.SequenceWatch;
import io.dynamo4j.plane.transport.SequenceWatch.Verdict;
import io.dynamo4j.wire.EventSubjects;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class EventNamesTest {

  @Test
  void shouldNameTopicsAsDynamoDoes() {
    assertThat(
            EventSubjects.of(new EventScope.Endpoint("dynamo", "backend", "generate"), "kv-events"))
        .isEqualTo("namespace.dynamo.component.backend.endpoint.generate.kv-events");
    assertThat(EventSubjects.of(new EventScope.Component("a.b", "c_d-e"), "kv_metrics"))
        .isEqualTo("namespace.a%2Eb.component.c_d-e.kv_metrics");
    assertThat(EventSubjects.of(new EventScope.Namespace("\u00e9"), "t"))
        .isEqualTo("namespace.%C3%A9.t");
  }

  @Test
  void shouldReadBrokersAsDynamoDoes() {
    ZmqBrokers brokers =
        ZmqBrokers.parse("xsub=tcp://h1:5555;tcp://h2:5555 , xpub=tcp://h1:5556;tcp://h2:5556");
    assertThat(brokers.forPublishers()).containsExactly("tcp://h1:5555", "tcp://h2:5555");
    assertThat(brokers.forSubscribers()).containsExactly("tcp://h1:5556", "tcp://h2:5556");
    assertThat(ZmqBrokers.fromEnvironment(Map.of())).isNull();
    assertThat(ZmqBrokers.fromEnvironment(Map.of("DYN_ZMQ_BROKER_URL", "xsub=a,xpub=b")))
        .isNotNull();
    for (String bad : List.of("", "xsub=a", "xsub=a,xpub=", "a,b", "xsub=a,xpub=b,x=c")) {
      assertThatIllegalArgumentException().isThrownBy(() -> ZmqBrokers.parse(bad));
    }
  }

  @Test
  void shouldSeeHolesAndNewLivesOfAPublisher() {
    SequenceWatch watch = SequenceWatch.create();
    assertThat(watch.judge(envelope(5, 1))).isEqualTo(Verdict.NEW);
    assertThat(watch.missed()).isZero();
    assertThat(watch.judge(envelope(8, 2))).isEqualTo(Verdict.NEW);
    assertThat(watch.missed()).isEqualTo(2);
    assertThat(watch.judge(envelope(0, 2))).isEqualTo(Verdict.RESTARTED);
    assertThat(watch.missed()).isZero();
    assertThat(watch.judge(envelope(1, 2))).isEqualTo(Verdict.NEW);
    assertThat(watch.missed()).isZero();
  }

  @Test
  void shouldTellARepetitionFromANewLifeWhereThereAreSeveralWays() {
    SequenceWatch watch = SequenceWatch.ofSeveralWays();
    assertThat(watch.judge(envelope(0, 10))).isEqualTo(Verdict.NEW);
    assertThat(watch.judge(envelope(0, 10))).isEqualTo(Verdict.REPEATED);
    assertThat(watch.judge(envelope(1, 11))).isEqualTo(Verdict.NEW);
    assertThat(watch.judge(envelope(0, 12))).isEqualTo(Verdict.RESTARTED);
  }

  @Test
  void shouldTellALateEnvelopeFromANewLifeWhereConnectionsAreReplaced() {
    SequenceWatch watch = SequenceWatch.ofReplacedConnections();
    assertThat(watch.judge(envelope(7, 10))).isEqualTo(Verdict.NEW);
    assertThat(watch.judge(envelope(3, 9))).isEqualTo(Verdict.REPEATED);
    assertThat(watch.judge(envelope(6, 10))).isEqualTo(Verdict.REPEATED);
    assertThat(watch.judge(envelope(8, 10))).isEqualTo(Verdict.NEW);
    assertThat(watch.missed()).isZero();
    assertThat(watch.judge(envelope(0, 10))).isEqualTo(Verdict.RESTARTED);
    assertThat(watch.judge(envelope(1, 10))).isEqualTo(Verdict.NEW);
    assertThat(watch.judge(envelope(0, 11))).isEqualTo(Verdict.RESTARTED);
  }

  private static EventEnvelope envelope(long sequence, long publishedAt) {
    return EventEnvelope.of(1, sequence, publishedAt, "t", new byte[0]);
  }
}
