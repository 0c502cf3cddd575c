// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.discovery;

import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.plane.EventChannel;
import io.dynamo4j.plane.EventChannelDirectory;
import io.dynamo4j.plane.Subscription;
import io.dynamo4j.plane.memory.InMemoryEventChannels;
import io.dynamo4j.wire.DiscoveryRecord;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * The publishers that records name, told to watches as they come and go.
 *
 * <p><b>Threads.</b> {@link #update} on the lane of discovery; everything else from any.
 */
final class ChannelView implements EventChannelDirectory {
  private final Function<EventChannel, Registration> writer;
  private final InMemoryEventChannels channels = InMemoryEventChannels.create();
  private final Map<EventChannel, Subscription> known = new LinkedHashMap<>();

  ChannelView(Function<EventChannel, Registration> writer) {
    this.writer = writer;
  }

  void update(List<DiscoveryRecord.Channel> records) {
    List<EventChannel> found = records.stream().map(DiscoveryRecord.Channel::channel).toList();
    for (EventChannel channel : new ArrayList<>(known.keySet())) {
      if (!found.contains(channel)) {
        Subscription gone = known.remove(channel);
        if (gone != null) {
          gone.close();
        }
      }
    }
    for (EventChannel channel : found) {
      known.computeIfAbsent(channel, channels::register);
    }
  }

  @Override
  public List<EventChannel> channels() {
    return channels.channels();
  }

  /** {@inheritDoc} Others see it once its record is written, as do the watches here. */
  @Override
  public Subscription register(EventChannel channel) {
    return writer.apply(channel)::close;
  }

  @Override
  public Subscription watch(Scheduler lane, Listener listener) {
    return channels.watch(lane, listener);
  }
}
