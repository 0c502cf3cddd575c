// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.nats;

import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.core.runtime.OrderIrrelevant;
import io.dynamo4j.plane.Address;
import io.dynamo4j.plane.Subscription;
import io.dynamo4j.transport.tcp.OutgoingRequest;
import io.dynamo4j.transport.tcp.RequestLeg;
import io.nats.client.Connection;
import io.nats.client.Dispatcher;
import io.nats.client.Message;
import io.nats.client.impl.Headers;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Requests as messages: to the subject of an instance, where one of a queue group takes it, with an
 * inbox for the acknowledgement.
 *
 * <p>A request never waits for a server: while there is none it fails, since one that is sent later
 * would come beside that of the next attempt.
 *
 * <p><b>Threads.</b> Subjects belong to the link's thread; messages come on a thread of the client.
 */
@OrderIrrelevant("requests are only looked up by name, or all ended")
final class NatsRequestLeg implements RequestLeg, NatsLink.User {
  private static final String QUEUE_GROUP = "q";
  private static final int NO_RESPONDERS = 503;
  private static final int MAX_WAITING = 65_536;
  private static final long MAX_WAITING_BYTES = 256L << 20;
  private static final int MAX_TEXT_BYTES = 1_024;
  private static final byte[] ACCEPTED = {};

  private final NatsLink link;
  private final Environment environment;
  private final String inbox;
  private final Map<String, OutgoingRequest> awaited = new ConcurrentHashMap<>();
  private volatile boolean closed;

  // The link's thread alone.
  private final Map<String, Served> served = new TreeMap<>();
  private @Nullable Dispatcher dispatcher;

  NatsRequestLeg(NatsTransport transport) {
    this.link = transport.link();
    this.environment = transport.environment();
    this.inbox = NatsSubjects.inbox(environment.random().split("nats-inbox"));
    link.execute(() -> link.join(this));
  }

  /* --------------- Client --------------- */

  @Override
  public @Nullable String bodyFormat(Address address) {
    return NatsSubjects.bodyFormat(address);
  }

  @Override
  public void send(Address address, OutgoingRequest request) {
    if (closed || !link.isUp()) {
      request.unanswered(ErrorType.CANNOT_CONNECT, "NATS server is not connected");
    } else {
      link.execute(() -> publish(address.value(), request));
    }
  }

  private void publish(String subject, OutgoingRequest request) {
    if (!request.isWanted()) {
      return;
    }
    byte[] message = request.frame();
    long max = link.maxPayload();
    if (message.length > max) {
      request.unanswered(
          ErrorType.INVALID_REQUEST,
          "request is larger than the server takes, bytes=" + message.length + ", max=" + max);
      return;
    }
    awaited.put(request.subject(), request);
    request.sent();
    String replyTo = inbox + "." + request.subject();
    if (!link.publish(subject, replyTo, headers(request), message)) {
      request.unanswered(ErrorType.CANNOT_CONNECT, "NATS server is not connected");
    }
    if (!request.isWanted()) {
      forget(request);
    }
  }

  private Headers headers(OutgoingRequest request) {
    Instant now = environment.wallClock().instant();
    long sentAt = now.getEpochSecond() * 1_000_000_000L + now.getNano();
    return new Headers()
        .put("request-id", request.requestId())
        .put("x-frontend-send-ts-ns", Long.toString(sentAt));
  }

  private void replied(Message reply) {
    String token = reply.getSubject().substring(inbox.length() + 1);
    OutgoingRequest request = awaited.remove(token);
    if (request == null) {
      return;
    }
    if (reply.isStatusMessage()) {
      boolean isNobody = reply.getStatus().getCode() == NO_RESPONDERS;
      request.unanswered(
          ErrorType.CANNOT_CONNECT,
          isNobody ? "nobody serves the subject" : "NATS server does not deliver the request");
    } else {
      byte[] text = reply.getData();
      int length = Math.min(text.length, MAX_TEXT_BYTES);
      request.acknowledged(new String(text, 0, length, StandardCharsets.UTF_8));
    }
  }

  @Override
  public void forget(OutgoingRequest request) {
    awaited.remove(request.subject(), request);
  }

  int awaitedCount() {
    return awaited.size();
  }

  /* --------------- Server --------------- */

  @Override
  public Subscription serve(Address address, Predicate<byte[]> taker) {
    Served serving = new Served(address.value(), taker);
    link.execute(
        () -> {
          served.put(serving.subject, serving);
          serving.subscribe();
        });
    return () -> link.execute(serving::unsubscribe);
  }

  /** An endpoint's subject. */
  private final class Served {
    final String subject;
    private final Predicate<byte[]> taker;
    private io.nats.client.@Nullable Subscription onServer;

    Served(String subject, Predicate<byte[]> taker) {
      this.subject = subject;
      this.taker = taker;
    }

    void subscribe() {
      if (dispatcher != null) {
        onServer = dispatcher.subscribe(subject, QUEUE_GROUP, this::taken);
      }
    }

    void unsubscribe() {
      served.remove(subject, this);
      io.nats.client.Subscription former = onServer;
      onServer = null;
      if (dispatcher != null && former != null) {
        try {
          dispatcher.unsubscribe(former);
        } catch (IllegalStateException gone) {
          // It went with its connection.
        }
      }
    }

    private void taken(Message message) {
      String replyTo = message.getReplyTo();
      if (taker.test(message.getData()) && replyTo != null) {
        link.execute(() -> link.publish(replyTo, null, null, ACCEPTED));
      }
    }
  }

  /* --------------- Connection --------------- */

  @Override
  public void connected(Connection connection) {
    Dispatcher made = connection.createDispatcher();
    made.setPendingLimits(MAX_WAITING, MAX_WAITING_BYTES);
    made.subscribe(inbox + ".*", this::replied);
    dispatcher = made;
    served.values().forEach(Served::subscribe);
  }

  @Override
  public void ending(@Nullable Connection connection) {
    closed = true;
    awaited
        .values()
        .forEach(request -> request.unanswered(ErrorType.CLOSED, "NATS transport is closed"));
    awaited.clear();
    served.clear();
    Dispatcher last = dispatcher;
    dispatcher = null;
    if (last != null && connection != null) {
      try {
        connection.closeDispatcher(last);
      } catch (IllegalStateException | IllegalArgumentException gone) {
        // It went with its connection.
      }
    }
  }

  @Override
  public void close() {
    closed = true;
    link.execute(
        () -> {
          link.leave(this);
          ending(link.current());
        });
  }
}
