// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.zmq;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Publishes batches as vLLM and SGLang do, past ones on request: for engines in Java, and to test
 * whatever reads the events of engines.
 *
 * <p><b>Threads.</b> Any; {@link #publish} never waits.
 */
public final class ZmqEngineEventPublisher implements AutoCloseable {
  private final ZmqLoop loop;
  private final ZmqEngineEventPublisherBuilder settings;
  private final String endpoint;
  private final byte[] topic;
  private final PublishQueue queue;
  private final CompletableFuture<String> boundTo = new CompletableFuture<>();
  private final CompletableFuture<String> replayBoundTo = new CompletableFuture<>();
  private final Runnable onEnd = this::closeSockets;
  private volatile @Nullable PublishingSocket socket;
  private @Nullable ReplayRing ring;

  private ZmqEngineEventPublisher(ZmqLoop loop, ZmqEngineEventPublisherBuilder settings) {
    this.loop = loop;
    this.settings = settings;
    this.endpoint = EngineEndpoints.ofRank(settings.endpoint, settings.dpRank);
    this.topic = settings.topic.getBytes(StandardCharsets.UTF_8);
    this.queue = new PublishQueue(loop, "endpoint=" + endpoint, settings.queueCapacity, this::send);
  }

  /**
   * Starts describing a publisher.
   *
   * @param endpoint of rank 0, bound here if it has a wildcard or is inside of this host, else
   *     dialled, as engines do; such as {@code tcp://*:5557}, or {@code tcp://127.0.0.1:*} for any
   *     free port
   */
  public static ZmqEngineEventPublisherBuilder builder(String endpoint) {
    return new ZmqEngineEventPublisherBuilder(endpoint);
  }

  static ZmqEngineEventPublisher open(ZmqLoop loop, ZmqEngineEventPublisherBuilder settings) {
    ZmqEngineEventPublisher publisher = new ZmqEngineEventPublisher(loop, settings);
    loop.execute(publisher::openSockets);
    if (loop.isEnded()) {
      publisher.neverBound();
    }
    return publisher;
  }

  private void openSockets() {
    loop.atEnd(onEnd);
    PublishingSocket opened = new PublishingSocket(loop, settings.highWater, topic);
    socket = opened;
    String replay = settings.replayEndpoint;
    String address = endpoint;
    try {
      if (settings.binds()) {
        boundTo.complete(opened.bind(address));
      } else {
        opened.connect(address);
        boundTo.complete(address);
      }
      if (replay != null) {
        address = EngineEndpoints.ofRank(replay, settings.dpRank);
        ReplayRing answers =
            new ReplayRing(loop, settings.bufferSteps, topic, settings.repliesHaveTopic);
        ring = answers;
        replayBoundTo.complete(answers.bind(address));
      }
    } catch (RuntimeException e) {
      DynamoException failure =
          new DynamoException(
              ErrorType.CANNOT_CONNECT,
              "cannot use address: endpoint=" + address + ", cause=" + e.getMessage(),
              null,
              DynamoException.NO_ATTEMPT,
              e);
      boundTo.completeExceptionally(failure);
      replayBoundTo.completeExceptionally(failure);
    }
  }

  /** Returns the address that subscribers dial; fails if the given one cannot be used. */
  public CompletionStage<String> boundTo() {
    return boundTo.minimalCompletionStage();
  }

  /** Returns the address that answers requests for past batches; never completes without one. */
  public CompletionStage<String> replayBoundTo() {
    return replayBoundTo.minimalCompletionStage();
  }

  /**
   * Sends one batch; never waits. One that finds the queue full is dropped, and its number with it.
   *
   * @param payload such as {@code EngineBatchWriter} makes; not copied, not to be written to again
   * @return the number of the batch, from 0
   * @throws DynamoException of type {@code CLOSED} after a close
   */
  public long publish(byte[] payload) {
    return queue.publish(payload);
  }

  private void send(long sequence, byte[] payload) {
    PublishingSocket open = socket;
    if (open == null) {
      return;
    }
    open.send(List.of(topic, ByteBuffer.allocate(Long.BYTES).putLong(sequence).array(), payload));
    if (ring != null) {
      ring.add(sequence, payload);
    }
  }

  /** Returns how many batches were dropped because the queue to the socket was full. */
  public long droppedCount() {
    return queue.dropped();
  }

  /** Returns how often a subscriber's queue was found full, which then loses batches. */
  public long fullSubscriberCount() {
    PublishingSocket open = socket;
    return open == null ? 0 : open.fullSubscribers();
  }

  /** Returns how many subscriptions there are now. */
  public int subscriptionCount() {
    PublishingSocket open = socket;
    return open == null ? 0 : open.subscriptions();
  }

  /** Ends the publisher once what was published has been handed over; returns at once. */
  @Override
  public void close() {
    if (queue.close()) {
      loop.execute(
          () -> {
            loop.notAtEnd(onEnd);
            closeSockets();
          });
    }
  }

  private void closeSockets() {
    queue.close();
    if (socket != null) {
      socket.close();
    }
    if (ring != null) {
      ring.close();
    }
    neverBound();
  }

  private void neverBound() {
    DynamoException closed =
        new DynamoException(ErrorType.CLOSED, "publisher is closed: endpoint=" + endpoint);
    boundTo.completeExceptionally(closed);
    replayBoundTo.completeExceptionally(closed);
  }
}
