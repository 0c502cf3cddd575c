// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import static io.dynamo4j.kvrouter.RouterFixture.request;
import static io.dynamo4j.kvrouter.RouterFixture.tokens;
import static io.dynamo4j.kvrouter.RouterFixture.worker;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.plane.EventEnvelope;
import io.dynamo4j.plane.EventPlane;
import io.dynamo4j.plane.EventPublisher;
import io.dynamo4j.plane.EventScope;
import io.dynamo4j.plane.EventSubscription;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A router beside others whose event plane throws, at the start or for a while: it routes, says
 * that it lives, and agrees with the others soon after the plane has healed (field report E07).
 */
class FaultyPlaneTest {
  private static final long LEASE_NANOS = RouterPair.LEASE.toNanos();

  private final RouterPair pair = new RouterPair(1, 2, true);
  private @Nullable Throwable planted;
  private boolean onlySubscribe;

  static List<Throwable> throwables() {
    return HostFaultsTest.throwables();
  }

  private void faulty() {
    if (planted != null) {
      FaultyPlaneTest.<RuntimeException>sneak(planted);
    }
  }

  @SuppressWarnings("unchecked")
  private static <T extends Throwable> void sneak(Throwable thrown) throws T {
    throw (T) thrown;
  }

  /** A plane that throws whatever is planted. */
  private final class FaultyPlane implements EventPlane {
    private final EventPlane plane = pair.network.plane("faulty");

    @Override
    public EventPublisher publisher(EventScope scope, String topic, long publisherId) {
      if (!onlySubscribe) {
        faulty();
      }
      EventPublisher publisher = plane.publisher(scope, topic, publisherId);
      return new EventPublisher() {
        @Override
        public long publish(byte[] payload) {
          faulty();
          return publisher.publish(payload);
        }

        @Override
        public void close() {
          publisher.close();
          faulty();
        }
      };
    }

    @Override
    public EventSubscription subscribe(
        EventScope scope, String topic, Scheduler lane, Consumer<EventEnvelope> handler) {
      faulty();
      return plane.subscribe(scope, topic, lane, handler);
    }

    @Override
    public void close() {
      plane.close();
    }
  }

  private KvRouter startFaulty() {
    pair.start("other");
    pair.runFor(LEASE_NANOS / 10);
    return pair.start("faulty", new FaultyPlane());
  }

  private static void book(KvRouter router, String id) {
    router.trySelect(request(id, tokens(id.hashCode() & 0xffff, 16)));
  }

  private void assertAgreed() {
    assertThat(pair.loads("faulty")).isEqualTo(pair.loads("other"));
    pair.checkInvariants();
  }

  @ParameterizedTest
  @MethodSource("throwables")
  void shouldRouteWithoutAPlaneAndJoinItOnceItIsThere(Throwable thrown) {
    for (boolean subscribe : new boolean[] {false, true}) {
      onlySubscribe = subscribe;
      planted = thrown;
      KvRouter router = startFaulty();
      String prefix = subscribe ? "s" : "p";
      book(router, prefix + "1");
      book(pair.router("other"), prefix + "2");
      pair.runFor(LEASE_NANOS);
      assertThat(router.bookingCount()).isEqualTo(1);
      assertThat(router.replicaSync().connected()).isFalse();

      planted = null;
      pair.runFor(2 * LEASE_NANOS);

      assertThat(router.replicaSync().connected()).isTrue();
      assertThat(router.bookingCount()).isEqualTo(2);
      assertAgreed();
      router.close();
      pair.router("other").close();
      pair.runFor(LEASE_NANOS);
    }
  }

  @ParameterizedTest
  @MethodSource("throwables")
  void shouldKeepLivingThroughAPlaneThatThrowsForAWhile(Throwable thrown) {
    KvRouter router = startFaulty();
    book(router, "before");
    pair.runFor(LEASE_NANOS);
    planted = thrown;
    book(router, "during");
    pair.runFor(4 * LEASE_NANOS);
    // The others hold it for dead meanwhile, and it goes on.
    assertThat(pair.router("other").bookingCount()).isZero();
    assertThat(router.bookingCount()).isEqualTo(2);

    planted = null;
    pair.runFor(2 * LEASE_NANOS);

    assertThat(pair.router("other").bookingCount()).isEqualTo(2);
    assertThat(pair.loads("faulty").get(0).requests() + pair.loads("faulty").get(1).requests())
        .isEqualTo(2);
    assertAgreed();
  }

  @ParameterizedTest
  @MethodSource("throwables")
  void shouldForgetDeadPeersThoughItCannotSpeak(Throwable thrown) {
    KvRouter router = startFaulty();
    book(pair.router("other"), "theirs");
    pair.runFor(LEASE_NANOS);
    assertThat(router.bookingCount()).isEqualTo(1);
    planted = thrown;
    pair.simulation.node("other").crash();
    pair.routers.remove("other");

    pair.runFor(3 * LEASE_NANOS);

    assertThat(router.load(worker(1)).requests() + router.load(worker(2)).requests()).isZero();
    assertThatCode(router::close).doesNotThrowAnyException();
    pair.runFor(LEASE_NANOS);
  }
}
