// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.nats;

import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.plane.DurableLogException;
import io.dynamo4j.plane.DurableLogException.Reason;
import io.dynamo4j.plane.LogEntry;
import io.dynamo4j.plane.LogListener;
import io.dynamo4j.plane.LogSubscription;
import io.nats.client.Connection;
import io.nats.client.Dispatcher;
import io.nats.client.JetStreamApiException;
import io.nats.client.JetStreamManagement;
import io.nats.client.Message;
import io.nats.client.api.AckPolicy;
import io.nats.client.api.ConsumerConfiguration;
import io.nats.client.api.ConsumerInfo;
import io.nats.client.api.DeliverPolicy;
import io.nats.client.impl.NatsJetStreamMetaData;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One durable pull consumer. Requests for entries are renewed before they run out, so the server
 * sees at any time whether somebody reads; how many entries are on their way it bounds itself by
 * what is not acknowledged. What was sent on a connection that broke shows as a hole in the
 * consumer's numbers, or as what the server has sent and nothing follows: the consumer is then made
 * anew behind the last entry received.
 *
 * <p><b>Threads.</b> Messages come on one thread of the client, calls of the server are made on the
 * storage thread; a lock guards what both use, held for no longer than that.
 */
final class NatsLogReader implements LogSubscription {
  /** Entries beyond the acknowledged ones at most. */
  static final int WINDOW = 256;

  private static final Logger LOG = LoggerFactory.getLogger(NatsLogReader.class);
  private static final Duration PULL_EXPIRES = Duration.ofSeconds(6);
  private static final long RENEW_NANOS = 2_000_000_000L;
  private static final long RETRY_NANOS = 250_000_000L;
  private static final Duration ACK_WAIT = Duration.ofMinutes(10);
  private static final Duration INACTIVE = Duration.ofHours(1);
  private static final byte[] ACK = "+ACK".getBytes(StandardCharsets.US_ASCII);
  private static final int NO_RESPONDERS = 503;
  private static final int CONFLICT = 409;

  private final NatsDurableLog log;
  private final Scheduler timers;
  private final String name;
  private final Scheduler lane;
  private final LogListener listener;
  private final ReentrantLock lock = new ReentrantLock();
  private final ArrayDeque<Sent> unacknowledged = new ArrayDeque<>(); // under the lock
  private final AtomicBoolean ackQueued = new AtomicBoolean();
  private volatile boolean ended;
  private volatile long wantedAck;
  private final AtomicInteger life = new AtomicInteger();
  private volatile boolean broken;

  // Under the lock.
  private long received;
  private long lastDelivery;
  private int sincePull;

  // On the storage thread.
  private @Nullable Connection connection;
  private @Nullable Dispatcher dispatcher;
  private String inbox = "";
  private boolean registered;
  private boolean wasReady;
  private @Nullable Sent lastAck;
  private long hadBefore;
  private long sentBefore;

  private record Sent(long sequence, String ackSubject) {}

  NatsLogReader(
      NatsDurableLog log,
      Scheduler timers,
      String name,
      long fromSequence,
      Scheduler lane,
      LogListener listener) {
    this.log = log;
    this.timers = timers;
    this.name = name;
    this.received = fromSequence - 1;
    this.lane = lane;
    this.listener = listener;
  }

  boolean isEnded() {
    return ended;
  }

  void start() {
    turn();
  }

  /** Looks after consumer and requests, again and again. */
  private void turn() {
    if (ended) {
      return;
    }
    log.call(
            "reader cannot be kept",
            (now, management) -> {
              keep(now, management);
              return true;
            })
        .whenComplete(
            (done, failure) -> {
              if (failure != null && isFinal(DurableLogException.of(failure))) {
                fail(DurableLogException.of(failure));
              } else {
                if (failure != null) {
                  LOG.debug("reader of the log waits for the server", failure);
                }
                again(failure == null ? RENEW_NANOS : RETRY_NANOS);
              }
            });
  }

  private static boolean isFinal(DurableLogException failure) {
    return !failure.isTransient() || failure.reason() == Reason.CONSUMER_GONE;
  }

  private void again(long nanos) {
    try {
      timers.schedule(this::turn, nanos);
    } catch (RejectedExecutionException closed) {
      ended = true;
    }
  }

  /* --------------- On the storage thread --------------- */

  private void keep(Connection now, JetStreamManagement management)
      throws IOException, JetStreamApiException {
    if (ended) {
      return;
    }
    if (!registered) {
      register(management);
    } else if (broken) {
      create(management);
      broken = false;
      stopListening();
    } else {
      // Throws if the server has forgotten it.
      makeGood(management, management.getConsumerInfo(log.config().stream(), name));
    }
    if (!wasReady) {
      wasReady = true;
      deliver(listener::ready);
    }
    if (now != connection) {
      listen(now);
    }
    pull();
  }

  /**
   * Makes good what got lost with a connection and that nothing that comes would show: the newest
   * entries, which are sent once more by a consumer made anew, and the newest acknowledgement.
   */
  private void makeGood(JetStreamManagement management, ConsumerInfo info)
      throws IOException, JetStreamApiException {
    long has;
    lock.lock();
    try {
      has = lastDelivery;
    } finally {
      lock.unlock();
    }
    boolean isStuck = has == hadBefore && has < sentBefore;
    hadBefore = has;
    sentBefore = info.getDelivered().getConsumerSequence();
    Sent last = lastAck;
    if (isStuck) {
      create(management);
      stopListening();
    } else if (last != null && info.getAckFloor().getStreamSequence() < last.sequence()) {
      publishAck(last);
    }
  }

  private void register(JetStreamManagement management) throws IOException, JetStreamApiException {
    String stream = log.config().stream();
    ConsumerInfo info;
    try {
      info = management.getConsumerInfo(stream, name);
    } catch (JetStreamApiException e) {
      if (e.getApiErrorCode() != JetStreamFailures.CONSUMER_NOT_FOUND) {
        throw e;
      }
      create(management);
      registered = true;
      return;
    }
    lock.lock();
    try {
      received = info.getAckFloor().getStreamSequence();
      lastDelivery = info.getDelivered().getConsumerSequence();
    } finally {
      lock.unlock();
    }
    if (info.getNumAckPending() > 0) {
      // What was sent to the reader before comes again only if the consumer is made anew.
      create(management);
    }
    registered = true;
  }

  private void create(JetStreamManagement management) throws IOException, JetStreamApiException {
    log.deleteConsumer(management, name);
    lock.lock();
    try {
      unacknowledged.clear();
      lastDelivery = 0;
    } finally {
      lock.unlock();
    }
    lastAck = null;
    sentBefore = 0;
    management.addOrUpdateConsumer(
        log.config().stream(),
        ConsumerConfiguration.builder()
            .durable(name)
            .deliverPolicy(DeliverPolicy.ByStartSequence)
            .startSequence(received + 1)
            .ackPolicy(AckPolicy.All)
            .ackWait(ACK_WAIT)
            .maxAckPending(WINDOW)
            .inactiveThreshold(INACTIVE)
            .build());
  }

  private void listen(Connection now) {
    stopListening();
    connection = now;
    int of = life.incrementAndGet();
    inbox = now.createInbox();
    Dispatcher listening = now.createDispatcher();
    dispatcher = listening;
    listening.subscribe(inbox, message -> received(of, message));
  }

  private void stopListening() {
    Connection former = connection;
    Dispatcher listening = dispatcher;
    connection = null;
    dispatcher = null;
    if (former != null && listening != null && former.getStatus() != Connection.Status.CLOSED) {
      former.closeDispatcher(listening);
    }
  }

  private void pull() {
    Connection now = connection;
    if (now == null || ended) {
      return;
    }
    String request = "{\"batch\":" + WINDOW + ",\"expires\":" + PULL_EXPIRES.toNanos() + "}";
    try {
      now.publish(
          "$JS.API.CONSUMER.MSG.NEXT." + log.config().stream() + "." + name,
          inbox,
          request.getBytes(StandardCharsets.US_ASCII));
    } catch (IllegalStateException gone) {
      LOG.debug("entries cannot be asked for: {}", gone.getMessage());
    }
  }

  /** Makes the consumer anew now; if that fails the next turn does. */
  private void mend() {
    var unused =
        log.call(
            "reader cannot be made anew",
            (now, management) -> {
              keep(now, management);
              return true;
            });
  }

  private void sendAck() {
    ackQueued.set(false);
    Sent newest = null;
    lock.lock();
    try {
      for (Sent next = unacknowledged.peek();
          next != null && next.sequence() <= wantedAck;
          next = unacknowledged.peek()) {
        newest = unacknowledged.remove();
      }
    } finally {
      lock.unlock();
    }
    if (newest != null) {
      lastAck = newest;
      publishAck(newest);
    }
  }

  private void publishAck(Sent newest) {
    Connection now = connection;
    if (now == null) {
      return;
    }
    try {
      now.publish(newest.ackSubject(), ACK);
    } catch (IllegalStateException gone) {
      LOG.debug("entry cannot be acknowledged: {}", gone.getMessage());
    }
  }

  /* --------------- On the client's thread --------------- */

  private void received(int of, Message message) {
    if (of != life.get() || ended) {
      return;
    }
    if (!message.isJetStream()) {
      status(message);
      return;
    }
    NatsJetStreamMetaData data = message.metaData();
    long sequence = data.streamSequence();
    boolean isNew;
    boolean isDue = false;
    lock.lock();
    try {
      if (data.consumerSequence() != lastDelivery + 1) {
        life.incrementAndGet();
        broken = true;
        log.storage().execute(this::mend);
        return;
      }
      lastDelivery++;
      unacknowledged.add(new Sent(sequence, message.getReplyTo()));
      isNew = sequence > received;
      received = Math.max(received, sequence);
      sincePull++;
      if (sincePull >= WINDOW / 2) {
        sincePull = 0;
        isDue = true;
      }
    } finally {
      lock.unlock();
    }
    if (isDue) {
      log.storage().execute(this::pull);
    }
    if (isNew) {
      LogEntry entry =
          LogEntry.of(sequence, data.timestamp().toInstant().toEpochMilli(), message.getData());
      deliver(() -> listener.entry(entry));
    }
  }

  /** Requests that ran out are renewed anyway; a consumer that is gone shows at the next turn. */
  private void status(Message message) {
    if (message.isStatusMessage()) {
      int code = message.getStatus().getCode();
      if (code == NO_RESPONDERS || code == CONFLICT) {
        LOG.debug("server sends no entries: {}", message.getStatus().getMessageWithCode());
      }
    }
  }

  private void deliver(Runnable call) {
    try {
      lane.execute(
          () -> {
            if (!ended) {
              call.run();
            }
          });
    } catch (RejectedExecutionException closed) {
      ended = true;
    }
  }

  private void fail(DurableLogException failure) {
    deliver(
        () -> {
          ended = true;
          listener.failed(failure);
        });
    log.storage().execute(this::stopListening);
  }

  /* --------------- From any thread --------------- */

  @Override
  public void acknowledge(long sequence) {
    wantedAck = Math.max(wantedAck, sequence);
    if (!ended && ackQueued.compareAndSet(false, true)) {
      log.storage().execute(this::sendAck);
    }
  }

  @Override
  public void close() {
    ended = true;
    log.storage().execute(this::stopListening);
  }
}
