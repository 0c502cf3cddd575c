// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.plane.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.plane.Address;
import io.dynamo4j.plane.EventChannel;
import io.dynamo4j.plane.EventChannelDirectory;
import io.dynamo4j.plane.EventScope;
import io.dynamo4j.plane.Subscription;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class InMemoryEventChannelsTest {
  private final InMemoryEventChannels channels = InMemoryEventChannels.create();
  private final ManualLane lane = new ManualLane();
  private final List<String> reports = new ArrayList<>();
  private final EventChannelDirectory.Listener listener =
      new EventChannelDirectory.Listener() {
        @Override
        public void added(EventChannel channel) {
          reports.add("+" + channel.publisherId() + channel.address().value());
        }

        @Override
        public void removed(EventChannel channel) {
          reports.add("-" + channel.publisherId() + channel.address().value());
        }
      };

  private static EventChannel channel(long publisherId, String address) {
    return new EventChannel(
        new EventScope.Endpoint("ns", "backend", "generate"),
        "kv-events",
        publisherId,
        new Address("zmq", address));
  }

  @Test
  void shouldReportWhatIsThereAndThenChangesInOrder() {
    Subscription first = channels.register(channel(1, "a"));
    channels.watch(lane, listener);
    channels.register(channel(2, "b"));
    first.close();
    assertThat(reports).isEmpty();
    lane.run();
    assertThat(reports).containsExactly("+1a", "+2b", "-1a");
    assertThat(channels.channels()).containsExactly(channel(2, "b"));
  }

  @Test
  void shouldRemoveFirstWhenAddressIsReplaced() {
    channels.watch(lane, listener);
    Subscription old = channels.register(channel(1, "a"));
    channels.register(channel(1, "b"));
    old.close();
    lane.run();
    assertThat(reports).containsExactly("+1a", "-1a", "+1b");
    assertThat(channels.channels()).containsExactly(channel(1, "b"));
  }

  @Test
  void shouldReportNothingAfterWatchIsClosed() {
    Subscription watch = channels.watch(lane, listener);
    channels.register(channel(1, "a"));
    watch.close();
    watch.close();
    channels.register(channel(2, "b"));
    lane.run();
    assertThat(reports).isEmpty();
  }

  @Test
  void shouldTellPublishersApartByScopeTopicAndId() {
    EventChannel one = channel(1, "a");
    assertThat(one.isSamePublisher(channel(1, "b"))).isTrue();
    assertThat(one.isSamePublisher(channel(2, "a"))).isFalse();
    assertThat(
            one.isSamePublisher(
                new EventChannel(one.scope(), "kv_metrics", one.publisherId(), one.address())))
        .isFalse();
    assertThat(
            one.isSamePublisher(
                new EventChannel(new EventScope.Namespace("ns"), "kv-events", 1, one.address())))
        .isFalse();
    assertThat(channel(-1, "a"))
        .hasToString(
            "EventChannel[scope=Endpoint[namespace=ns, component=backend, endpoint=generate], "
                + "topic=kv-events, publisherId=18446744073709551615, address=zmq://a]");
  }
}
