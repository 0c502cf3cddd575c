// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.zmq;

import io.dynamo4j.core.runtime.Cancellable;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.plane.transport.Counts;
import io.dynamo4j.plane.transport.LaneQueue;
import io.dynamo4j.wire.EngineMessage;
import io.dynamo4j.wire.WireFormatException;
import io.dynamo4j.wire.WireLimits;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.zeromq.SocketType;

/**
 * The sockets of one rank: one that subscribes, and one for each request for past batches.
 *
 * <p>A lane that falls behind stops the reading here: batches then wait in ZeroMQ's own queue, and
 * beyond that the engine drops them for this subscriber, which shows as a hole.
 *
 * <p><b>Threads.</b> The owner thread; {@link #status} from any.
 */
final class EngineRankFeed implements BatchOrder.Sink {
  private static final byte[] EMPTY = {};
  private static final long RETRY_NANOS = 1_000_000_000L;

  private final ZmqLoop loop;
  private final EngineSourceSettings settings;
  private final int dpRank;
  private final String endpoint;
  private final @Nullable String replayEndpoint;
  private final LaneQueue<EngineSignal> out;
  private final BatchOrder order;
  private final Counts<EngineSourceCounter> counts = Counts.of(EngineSourceCounter.class);

  private volatile @Nullable LoopSocket subscriber;
  private volatile @Nullable String problem;
  private volatile String address;
  private volatile boolean closed;
  private volatile boolean replaying;
  private volatile boolean deaf;
  private volatile int batchesOnConnection;
  private volatile long lastBatchNanos;
  private volatile long connectedNanos;
  private volatile boolean wasConnected;

  private @Nullable LoopSocket replayer;
  private @Nullable Cancellable replayTimer;
  private long lastReplyNanos;
  private int connectionsSeen;

  EngineRankFeed(
      ZmqLoop loop,
      EngineSourceSettings settings,
      int dpRank,
      Scheduler lane,
      EngineEventListener listener) {
    this.loop = loop;
    this.settings = settings;
    this.dpRank = dpRank;
    this.endpoint = EngineEndpoints.ofRank(settings.endpoint, dpRank);
    this.address = endpoint;
    this.replayEndpoint =
        settings.replayEndpoint == null
            ? null
            : EngineEndpoints.ofRank(settings.replayEndpoint, dpRank);
    this.order = new BatchOrder(this, replayEndpoint != null);
    this.out =
        LaneQueue.of(
            lane,
            signal -> signal.tell(listener),
            settings.queueCapacity,
            () -> loop.execute(this::resume));
  }

  /* --------------- Connecting --------------- */

  void open() {
    if (closed || subscriber != null) {
      return;
    }
    LoopSocket socket = loop.open(SocketType.SUB, this::received);
    try {
      socket.settings().setRcvHWM(settings.highWater);
      socket.watch(this::connectionChanged);
      socket.subscribe(settings.topic.getBytes(StandardCharsets.UTF_8));
      if (settings.bind) {
        socket.bind(endpoint);
        address = socket.boundTo();
      } else {
        socket.connect(endpoint);
      }
    } catch (RuntimeException e) {
      socket.close();
      problem = "cannot use address: endpoint=" + endpoint + ", cause=" + e.getMessage();
      loop.schedule(RETRY_NANOS, this::open);
      return;
    }
    subscriber = socket;
    problem = null;
    if (endpoint.startsWith("inproc://")) {
      noteConnection();
    }
  }

  private void connectionChanged() {
    LoopSocket socket = subscriber;
    if (!closed && socket != null && socket.connections() != connectionsSeen) {
      connectionsSeen = socket.connections();
      noteConnection();
    }
  }

  private void noteConnection() {
    counts.add(EngineSourceCounter.CONNECTIONS);
    batchesOnConnection = 0;
    connectedNanos = loop.clock().nanoTime();
    wasConnected = true;
    order.connected();
    publishState();
  }

  /* --------------- What is published --------------- */

  private void received(List<byte[]> frames) {
    connectionChanged(); // A batch of a new connection must not be taken for one of the old.
    EngineMessage message = decode(frames, 3, 3, EngineSourceCounter.BAD_FRAMES);
    if (message != null) {
      order.live(message.sequence(), message.payload());
    }
    publishState();
  }

  private @Nullable EngineMessage decode(
      List<byte[]> frames, int least, int most, EngineSourceCounter badFrames) {
    if (frames.size() < least || frames.size() > most) {
      counts.add(badFrames);
      return null;
    }
    try {
      EngineMessage message =
          least == most ? EngineMessage.ofPublished(frames) : EngineMessage.ofReplayed(frames);
      if (message.payload().length > WireLimits.MAX_FRAME_BYTES) {
        counts.add(EngineSourceCounter.TOO_LARGE);
        return null;
      }
      return message;
    } catch (WireFormatException e) {
      counts.add(EngineSourceCounter.BAD_SEQUENCES);
      return null;
    }
  }

  @Override
  public void batch(long sequence, byte[] payload, boolean replayed) {
    counts.add(EngineSourceCounter.BATCHES);
    if (replayed) {
      counts.add(EngineSourceCounter.REPLAYED_BATCHES);
    }
    batchesOnConnection = 1;
    lastBatchNanos = loop.clock().nanoTime();
    out.add(listener -> listener.batch(dpRank, sequence, payload));
    if (out.isFull()) {
      pause();
    }
  }

  @Override
  public void restarted() {
    counts.add(EngineSourceCounter.RESTARTS);
    out.add(listener -> listener.restarted(dpRank));
  }

  @Override
  public void lost(long first, long last) {
    counts.add(EngineSourceCounter.LOST_BATCHES, last - first + 1);
    out.add(listener -> listener.lost(dpRank, first, last));
  }

  private void pause() {
    if (subscriber != null) {
      subscriber.pause();
    }
    if (replayer != null) {
      replayer.pause();
    }
  }

  private void resume() {
    if (subscriber != null) {
      subscriber.resume();
    }
    if (replayer != null) {
      lastReplyNanos = loop.clock().nanoTime();
      replayer.resume();
    }
  }

  /* --------------- What is replayed --------------- */

  @Override
  public void askReplay(long from) {
    endReplay();
    counts.add(EngineSourceCounter.REPLAYS);
    lastReplyNanos = loop.clock().nanoTime();
    LoopSocket socket = loop.open(SocketType.DEALER, this::replied);
    replayer = socket;
    try {
      socket.settings().setLinger(0);
      socket.settings().setRcvHWM(settings.highWater);
      socket.connect(String.valueOf(replayEndpoint));
      socket.trySend(List.of(EMPTY, ByteBuffer.allocate(Long.BYTES).putLong(from).array()));
    } catch (RuntimeException e) {
      problem = "cannot ask for replay: endpoint=" + replayEndpoint + ", cause=" + e.getMessage();
    }
    if (out.isFull()) {
      socket.pause();
    }
    replayTimer = loop.schedule(settings.replayIdleNanos, this::checkReplay);
  }

  @Override
  public void endReplay() {
    if (replayTimer != null) {
      replayTimer.cancel();
      replayTimer = null;
    }
    if (replayer != null) {
      replayer.close();
      replayer = null;
    }
  }

  private void replied(List<byte[]> frames) {
    lastReplyNanos = loop.clock().nanoTime();
    EngineMessage message = decode(frames, 3, 4, EngineSourceCounter.BAD_REPLIES);
    if (message == null) {
      return;
    }
    if (message.isEndOfReplay()) {
      order.replayEnded();
    } else {
      order.replayed(message.sequence(), message.payload());
    }
    publishState();
  }

  private void checkReplay() {
    replayTimer = null;
    if (closed || !order.isReplaying()) {
      return;
    }
    long idle = loop.clock().nanoTime() - lastReplyNanos;
    if (out.isFull() || idle < settings.replayIdleNanos) {
      long rest = Math.max(1, settings.replayIdleNanos - idle);
      replayTimer = loop.schedule(rest, this::checkReplay);
      return;
    }
    counts.add(EngineSourceCounter.REPLAY_TIMEOUTS);
    order.replayTimedOut();
    publishState();
  }

  private void publishState() {
    replaying = order.isReplaying();
    deaf = order.isDeaf();
  }

  /* --------------- End and status --------------- */

  /** Reports nothing more; from any thread. */
  void silence() {
    closed = true;
    out.close();
  }

  void close() {
    closed = true;
    endReplay();
    if (subscriber != null) {
      subscriber.close();
    }
    out.close();
  }

  EngineRankStatus status() {
    return new EngineRankStatus(
        dpRank, address, state(), replaying && !closed, deaf, problem, counts.snapshot());
  }

  private EngineSourceState state() {
    LoopSocket socket = subscriber;
    if (closed || loop.isEnded()) {
      return EngineSourceState.CLOSED;
    }
    if (problem != null && socket == null) {
      return EngineSourceState.FAILED;
    }
    if (socket == null
        || !wasConnected
        || !(socket.isConnected() || endpoint.startsWith("inproc://"))) {
      return EngineSourceState.CONNECTING;
    }
    boolean received = batchesOnConnection > 0;
    long since = loop.clock().nanoTime() - (received ? lastBatchNanos : connectedNanos);
    if (since > settings.silentNanos) {
      return EngineSourceState.SILENT;
    }
    return received ? EngineSourceState.RECEIVING : EngineSourceState.CONNECTED;
  }

  /** One report for the listener. */
  @FunctionalInterface
  interface EngineSignal {
    void tell(EngineEventListener listener);
  }
}
