// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RoutingListenerTest {
  private final RouterFixture fixture = new RouterFixture(2);
  private final List<RoutingEvent> events = new ArrayList<>();

  @Test
  void shouldTellOfABookingAndItsEnd() {
    KvRouter router = fixture.builder().listener(events::add).build();
    RequestLease lease =
        router.trySelect(
            RouterFixture.pinned("r", RouterFixture.tokens(0, 9), RouterFixture.worker(2)));

    fixture.nanos.addAndGet(300);
    lease.markPrefillCompleted();
    lease.addOutputTokens(1);
    fixture.nanos.addAndGet(500);
    lease.addOutputTokens(2);
    fixture.nanos.addAndGet(50);
    lease.close();
    lease.close();

    assertThat(events)
        .containsExactly(
            new RoutingEvent.Booked(RouterFixture.worker(2), 9, 0, 0, 0, 0, 0, 0, 0, 0),
            new RoutingEvent.Ended(RouterFixture.worker(2), 9, 3, 300, 800));
  }

  @Test
  void shouldTellThatNoTokenCame() {
    KvRouter router = fixture.builder().listener(events::add).build();

    router.trySelect(RouterFixture.request("r", RouterFixture.tokens(0, 9))).close();

    assertThat(events).hasSize(2);
    assertThat((RoutingEvent.Ended) events.get(1))
        .extracting(RoutingEvent.Ended::firstTokenNanos, RoutingEvent.Ended::lastTokenNanos)
        .containsExactly(-1L, -1L);
  }

  @Test
  void shouldBookThoughTheListenerFails() {
    KvRouter router =
        fixture
            .builder()
            .listener(
                event -> {
                  throw new IllegalStateException("planted");
                })
            .build();

    router.trySelect(RouterFixture.request("r", RouterFixture.tokens(0, 9))).close();

    assertThat(router.bookingCount()).isZero();
  }
}
