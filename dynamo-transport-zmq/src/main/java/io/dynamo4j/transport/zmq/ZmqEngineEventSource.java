// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.zmq;

import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.wire.KvEventsConfig;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * What one engine publishes about its cache, straight from its own socket: vLLM, SGLang, and
 * whatever publishes as they do, Dynamo's re-publisher for TensorRT-LLM included.
 *
 * <p>A rank's past is asked for when a connection is made and when a number is missing, if there is
 * a socket for that: a router that starts beside a busy engine then knows its cache, and a batch
 * that was lost on the way comes after all. An engine that was restarted is recognised.
 *
 * <p><b>Threads.</b> Any.
 */
public final class ZmqEngineEventSource implements AutoCloseable {
  private final ZmqLoop loop;
  private final EngineSourceSettings settings;
  private final List<EngineRankFeed> feeds;
  private final Runnable onEnd = this::closeFeeds;

  private ZmqEngineEventSource(
      ZmqLoop loop, EngineSourceSettings settings, List<EngineRankFeed> feeds) {
    this.loop = loop;
    this.settings = settings;
    this.feeds = feeds;
  }

  /**
   * Starts describing a source.
   *
   * @param endpoint where rank 0 publishes, such as {@code tcp://10.0.0.7:5557}
   */
  public static ZmqEngineEventSourceBuilder builder(String endpoint) {
    return new ZmqEngineEventSourceBuilder(null, endpoint);
  }

  /**
   * Starts describing a source by the very JSON that the engine was given as {@code
   * --kv-events-config}. A configuration by which the engine publishes nothing gives a source
   * without sockets, whose status says so.
   *
   * @param host where the engine runs, put in place of wildcards in its addresses
   * @throws IllegalArgumentException if the JSON is none or an address cannot be dialled
   */
  public static ZmqEngineEventSourceBuilder fromKvEventsConfig(String json, String host) {
    return ZmqEngineEventSourceBuilder.of(KvEventsConfig.parse(json), host);
  }

  static ZmqEngineEventSource open(
      ZmqLoop loop,
      EngineSourceSettings settings,
      int firstRank,
      int rankCount,
      Scheduler lane,
      EngineEventListener listener) {
    List<EngineRankFeed> feeds = new ArrayList<>();
    if (settings.disabledBecause == null) {
      for (int rank = firstRank; rank < firstRank + rankCount; rank++) {
        feeds.add(new EngineRankFeed(loop, settings, rank, lane, listener));
      }
    }
    ZmqEngineEventSource source = new ZmqEngineEventSource(loop, settings, feeds);
    loop.execute(
        () -> {
          loop.atEnd(source.onEnd);
          feeds.forEach(EngineRankFeed::open);
        });
    return source;
  }

  /** Returns what is known now; O(ranks). */
  public EngineSourceStatus status() {
    if (settings.disabledBecause != null) {
      return new EngineSourceStatus(
          EngineSourceState.DISABLED, settings.disabledBecause, List.of());
    }
    List<EngineRankStatus> ranks = feeds.stream().map(EngineRankFeed::status).toList();
    EngineSourceState worst = Collections.min(ranks.stream().map(EngineRankStatus::state).toList());
    return new EngineSourceStatus(worst, null, ranks);
  }

  /**
   * Disconnects; returns at once. After a close on the listener's lane nothing more is reported;
   * idempotent.
   */
  @Override
  public void close() {
    feeds.forEach(EngineRankFeed::silence);
    loop.execute(
        () -> {
          loop.notAtEnd(onEnd);
          closeFeeds();
        });
  }

  private void closeFeeds() {
    feeds.forEach(EngineRankFeed::close);
  }
}
