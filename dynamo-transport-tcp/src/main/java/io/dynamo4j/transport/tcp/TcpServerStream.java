// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.tcp;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.SafeText;
import io.dynamo4j.core.runtime.Cancellable;
import io.dynamo4j.plane.ResponseSink;
import io.dynamo4j.plane.transport.CancelHook;
import io.dynamo4j.wire.RequestControl;
import io.dynamo4j.wire.ResponseControl;
import io.dynamo4j.wire.ResponseItem;
import io.dynamo4j.wire.TwoPartFrame;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import java.net.InetSocketAddress;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * One request as a worker answers it: dials the caller back, then sends what the handler says.
 *
 * <p>The handler runs once the caller is connected, so that a worker never works for a caller that
 * it cannot reach.
 *
 * <p><b>Threads.</b> The sink is used by one at a time, from anywhere; how the stream ends is
 * decided once, by {@code state}.
 */
final class TcpServerStream<Q, R> implements ResponseSink<R> {
  private enum State {
    OPEN,
    /** The worker has said its last word. */
    ENDED,
    /** The caller left, or the endpoint was aborted. */
    BROKEN
  }

  private final TcpEndpoint<Q, R> endpoint;
  private final RequestControl control;
  private final CancelHook cancelHook = CancelHook.create();
  private final AtomicReference<State> state = new AtomicReference<>(State.OPEN);
  private final OutboundFrames out;
  private final @Nullable DynamoException refusal;
  private byte @Nullable [] body;
  private boolean opened; // the sink's user
  private volatile @Nullable Cancellable lingering;

  TcpServerStream(
      TcpEndpoint<Q, R> endpoint,
      RequestControl control,
      byte[] body,
      @Nullable DynamoException refusal) {
    this.endpoint = endpoint;
    this.control = control;
    this.body = body;
    this.refusal = refusal;
    this.out =
        new OutboundFrames(
            endpoint.plane().options().maxUnsentBytes(), this::readsTooSlowly, this::linger);
  }

  /* --------------- Connection --------------- */

  void dial(InetSocketAddress callHome) {
    TcpIo io = endpoint.plane().io();
    FrameDecoder decoder = new FrameDecoder(endpoint.plane().options().maxMessageBytes());
    try {
      ChannelFuture dialled = io.dial(io.nextLoop(), callHome, decoder, new Inbound());
      dialled.addListener(done -> dialled(dialled));
    } catch (RejectedExecutionException closed) {
      peerLeft();
    }
  }

  private void dialled(ChannelFuture result) {
    if (!result.isSuccess()) {
      // The caller's own bound ends its wait.
      peerLeft();
      return;
    }
    out.attach(result.channel());
    out.send(TwoPartFrame.control(ResponseControl.handshake(control.subject())));
    if (state.get() != State.OPEN) {
      out.close();
      return;
    }
    try {
      endpoint.lane().execute(this::handle);
    } catch (RejectedExecutionException closed) {
      breakOff();
    }
  }

  /** What the caller sends: a word that ends the stream, or the end of the connection. */
  private final class Inbound extends SimpleChannelInboundHandler<TwoPartFrame> {
    @Override
    protected void channelRead0(ChannelHandlerContext context, TwoPartFrame frame) {
      peerLeft();
      TcpIo.ignore(context.close());
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
      peerLeft();
      Cancellable timer = lingering;
      if (timer != null) {
        timer.cancel();
      }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      TcpIo.ignore(context.close());
    }
  }

  private void peerLeft() {
    if (state.compareAndSet(State.OPEN, State.BROKEN)) {
      body = null;
      endpoint.release(this);
      cancelHook.fire(endpoint.lane());
    }
  }

  private void readsTooSlowly() {
    endpoint.plane().countSlowReader();
    breakOff();
  }

  /** Ends the stream without a word: the caller sees the connection break. */
  void breakOff() {
    peerLeft();
    out.close();
  }

  /** The last byte is written: the caller closes, or is closed upon. */
  private void linger() {
    lingering = endpoint.plane().armLinger(out::close);
  }

  /* --------------- Worker --------------- */

  private void handle() {
    byte[] bytes = body;
    body = null;
    if (state.get() != State.OPEN || bytes == null) {
      return;
    }
    if (refusal != null) {
      fail(refusal);
      return;
    }
    try {
      Q request =
          endpoint
              .plane()
              .codec()
              .decodeRequest(
                  control.requestId(), endpoint.workerId(), control.format().toMsgpack(bytes));
      endpoint.handler().handle(control.requestId(), request, this);
    } catch (DynamoException refusal) {
      fail(refusal);
    } catch (RuntimeException fault) {
      fail(unknown(fault));
    } catch (Error fault) {
      fail(unknown(fault));
      throw fault;
    }
  }

  private DynamoException unknown(Throwable fault) {
    String message = "handler threw: requestId=" + SafeText.of(control.requestId());
    return new DynamoException(ErrorType.BACKEND_UNKNOWN, message, null, -1, fault);
  }

  @Override
  public void onCancel(Runnable action) {
    cancelHook.add(Objects.requireNonNull(action, "action"), endpoint.lane());
  }

  @Override
  public void open() {
    if (!opened && state.get() == State.OPEN) {
      opened = true;
      out.send(TwoPartFrame.control(ResponseControl.prologue(null)));
    }
  }

  @Override
  public boolean next(R item) {
    Objects.requireNonNull(item, "item");
    if (state.get() != State.OPEN) {
      return false;
    }
    open();
    sendItem(endpoint.plane().codec().encodeItem(item));
    return true;
  }

  private void sendItem(byte[] item) {
    out.send(TwoPartFrame.data(control.format().fromMsgpack(ResponseItem.encode(item))));
  }

  @Override
  public void complete() {
    if (ends()) {
      if (!opened) {
        opened = true;
        out.send(TwoPartFrame.control(ResponseControl.prologue(null)));
      }
      sendEnd();
    }
  }

  @Override
  public void fail(DynamoException error) {
    Objects.requireNonNull(error, "error");
    if (!ends()) {
      return;
    }
    if (opened) {
      sendItem(endpoint.plane().codec().encodeError(error));
      sendEnd();
    } else {
      out.sendLast(TwoPartFrame.control(ResponseControl.prologue(error)));
    }
  }

  private boolean ends() {
    if (!state.compareAndSet(State.OPEN, State.ENDED)) {
      return false;
    }
    cancelHook.drop();
    endpoint.release(this);
    return true;
  }

  private void sendEnd() {
    out.send(TwoPartFrame.data(control.format().fromMsgpack(ResponseItem.encodeFinal())));
    out.sendLast(TwoPartFrame.control(ResponseControl.word(ResponseControl.SENTINEL)));
  }
}
