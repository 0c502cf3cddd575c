// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.tcp;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.runtime.OrderIrrelevant;
import io.dynamo4j.plane.AddressPolicy;
import io.dynamo4j.wire.PayloadFormat;
import io.dynamo4j.wire.RequestControl;
import io.dynamo4j.wire.TcpRequestFrame;
import io.dynamo4j.wire.TcpTarget;
import io.dynamo4j.wire.TwoPartFrame;
import io.dynamo4j.wire.WireFormatException;
import io.netty.channel.ChannelHandler;
import java.net.InetSocketAddress;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Takes requests in, for whoever serves their path. Unlike the peer it looks at a request before it
 * acknowledges it: what cannot be answered is refused in words that callers understand, where
 * silence would cost them their time-out.
 *
 * <p><b>Threads.</b> Any.
 */
@OrderIrrelevant("endpoints are only looked up by path, or all ended")
final class RequestIntake {
  private static final String ACCEPTED = "";

  private final TcpOptions options;
  private final ConcurrentHashMap<String, TcpEndpoint<?, ?>> endpoints = new ConcurrentHashMap<>();
  private final AtomicInteger openStreams = new AtomicInteger();

  RequestIntake(TcpOptions options) {
    this.options = options;
  }

  ChannelHandler[] newHandlers() {
    return new ChannelHandler[] {
      new RequestDecoder(options.maxMessageBytes()), new RequestConnection(this)
    };
  }

  /** Returns false if the path is served already. */
  boolean add(String path, TcpEndpoint<?, ?> endpoint) {
    return endpoints.putIfAbsent(path, endpoint) == null;
  }

  void remove(String path, TcpEndpoint<?, ?> endpoint) {
    endpoints.remove(path, endpoint);
  }

  void streamEnded() {
    openStreams.decrementAndGet();
  }

  /** Returns the reply to a request. */
  String take(byte[] frame) {
    try {
      TcpRequestFrame request = TcpRequestFrame.decode(frame);
      TcpEndpoint<?, ?> endpoint = endpoints.get(request.path());
      if (endpoint == null) {
        return "Server unavailable: unknown endpoint " + request.path();
      }
      RequestControl control = RequestControl.decode(request.payload().header());
      InetSocketAddress callHome = callHome(control);
      if (callHome == null) {
        return "Server unavailable: address of the answer is not allowed";
      }
      if (openStreams.incrementAndGet() > options.maxOpenStreams()) {
        openStreams.decrementAndGet();
        return "Server overloaded: streams=" + options.maxOpenStreams();
      }
      endpoint.accept(control, request.payload().body(), callHome, null);
      return ACCEPTED;
    } catch (WireFormatException e) {
      return "Server unavailable: request cannot be read: " + e.reason();
    }
  }

  /**
   * Takes a message of another leg. Callers there do not read what an acknowledgement says: a
   * request that is refused is answered so, and what cannot be answered is not acknowledged.
   *
   * @return whether to acknowledge it
   */
  boolean takeMessage(TcpEndpoint<?, ?> endpoint, byte[] message) {
    try {
      TwoPartFrame payload = TwoPartFrame.decode(message);
      RequestControl control = RequestControl.decode(payload.header());
      InetSocketAddress callHome = callHome(control);
      if (callHome == null) {
        return false;
      }
      boolean isFull = openStreams.incrementAndGet() > options.maxOpenStreams();
      endpoint.accept(control, payload.body(), callHome, refusal(endpoint, isFull));
      return true;
    } catch (WireFormatException foreign) {
      return false;
    }
  }

  private @Nullable DynamoException refusal(TcpEndpoint<?, ?> endpoint, boolean isFull) {
    if (endpoint.isClosed()) {
      return new DynamoException(ErrorType.WORKER_UNAVAILABLE, "endpoint is closed");
    }
    return isFull
        ? new DynamoException(
            ErrorType.WORKER_OVERLOADED,
            "worker is overloaded: streams=" + options.maxOpenStreams())
        : null;
  }

  private @Nullable InetSocketAddress callHome(RequestControl control) {
    try {
      TcpTarget target = TcpTarget.parse(control.address(), PayloadFormat.MSGPACK);
      InetSocketAddress address = AddressPolicy.literal(target.host(), target.port());
      return options.addressPolicy().allows(address) ? address : null;
    } catch (IllegalArgumentException e) {
      return null;
    }
  }
}
