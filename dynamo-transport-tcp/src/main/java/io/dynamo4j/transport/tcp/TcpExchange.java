// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.tcp;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.plane.Attempt;
import io.dynamo4j.plane.WorkerInstance;
import io.dynamo4j.plane.transport.StreamExchange;
import io.dynamo4j.wire.PayloadFormat;
import io.dynamo4j.wire.PeerError;
import io.dynamo4j.wire.PeerFailureException;
import io.dynamo4j.wire.ResponseControl;
import io.dynamo4j.wire.ResponseItem;
import io.dynamo4j.wire.TwoPartFrame;
import io.dynamo4j.wire.WireFormatException;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import java.util.concurrent.Flow;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * One request and its answer, as a client has them.
 *
 * <p>Frames are read while fewer items wait than the read-ahead; beyond that the connection rests
 * until the subscriber has taken half of them, so that a slow subscriber slows its worker down.
 *
 * <p><b>Threads.</b> {@link #send} on the attempt's lane; what the connection brings on its event
 * loop, where the fields without a word of their own belong.
 */
final class TcpExchange<Q, R> extends StreamExchange<R> implements OutgoingRequest {
  private static final String UNKNOWN_ENDPOINT = "Server unavailable: unknown endpoint";
  private static final String OVERLOADED = "Server overloaded";

  private final TcpRequestPlane<Q, R> plane;
  private final Q request;
  private final String subject;
  private final PhaseTimer timer;
  private final AtomicBoolean left = new AtomicBoolean();
  private final AtomicBoolean resting = new AtomicBoolean();
  private volatile byte @Nullable [] frame;
  private volatile @Nullable Channel connection;

  private PayloadFormat format = PayloadFormat.MSGPACK; // written before the request is sent
  private boolean prologueSeen;
  private boolean finalSeen;

  TcpExchange(
      TcpRequestPlane<Q, R> plane,
      WorkerInstance target,
      Q request,
      Attempt attempt,
      Flow.Subscriber<? super R> subscriber) {
    super(target, attempt, subscriber);
    this.plane = plane;
    this.request = request;
    this.subject = plane.nextSubject();
    this.timer = new PhaseTimer(plane.options(), attempt.lane(), this::isBusy, this::overdue);
  }

  /* --------------- Sending --------------- */

  @Override
  protected void send() {
    PayloadFormat wanted = usableFormat();
    if (wanted == null || isOver()) {
      return;
    }
    format = wanted;
    try {
      frame = plane.frame(target().address(), format, attempt().requestId(), subject, request);
    } catch (DynamoException | IllegalArgumentException e) {
      finish(error(ErrorType.INVALID_REQUEST, "request cannot be sent: why=" + e.getMessage(), e));
      return;
    }
    plane.track(this, subject);
    timer.enter(TcpPhase.DIAL);
    if (isOver()) {
      release();
    } else if (plane.isClosed()) {
      planeClosed();
    } else {
      plane.submit(target().address(), this);
    }
  }

  /** Returns how the worker wants bodies, or breaks off. */
  private @Nullable PayloadFormat usableFormat() {
    if (plane.isClosed()) {
      planeClosed();
      return null;
    }
    try {
      PayloadFormat wanted = plane.format(target().address());
      if (wanted == null) {
        breakOff(ErrorType.CANNOT_CONNECT, "address is of another transport", true);
      } else if (!plane.allows(target().address())) {
        breakOff(ErrorType.CANNOT_CONNECT, "policy does not allow the address", true);
      } else {
        return wanted;
      }
    } catch (IllegalArgumentException e) {
      breakOff(ErrorType.CANNOT_CONNECT, "address is none: why=" + e.getMessage(), true);
    }
    return null;
  }

  void planeClosed() {
    breakOff(ErrorType.CLOSED, "request plane closed", true);
  }

  @Override
  public String requestId() {
    return attempt().requestId();
  }

  @Override
  public String subject() {
    return subject;
  }

  @Override
  public byte[] frame() {
    byte[] bytes = frame;
    frame = null;
    return bytes == null ? new byte[0] : bytes;
  }

  @Override
  public boolean isWanted() {
    return !isOver();
  }

  @Override
  public void sent() {
    timer.leave(TcpPhase.DIAL, TcpPhase.ACK);
  }

  @Override
  public void acknowledged(String text) {
    if (text.isEmpty()) {
      timer.leave(TcpPhase.ACK, TcpPhase.CALL_HOME);
      onLane(attempt()::requestAcknowledged);
    } else if (text.startsWith(OVERLOADED)) {
      breakOff(ErrorType.WORKER_OVERLOADED, "worker is overloaded", false);
    } else if (text.startsWith(UNKNOWN_ENDPOINT)) {
      breakOff(ErrorType.CANNOT_CONNECT, "worker does not serve the endpoint", false);
    } else {
      String why = new PeerError(ErrorType.WORKER_UNAVAILABLE, text).safeMessage();
      breakOff(ErrorType.WORKER_UNAVAILABLE, "worker refuses: why=" + why, false);
    }
  }

  @Override
  public void unanswered(ErrorType type, String what) {
    // An answer that has begun says more than a lost acknowledgement.
    if (connection == null) {
      breakOff(type, what, false);
    }
  }

  private void onLane(Runnable task) {
    try {
      attempt().lane().execute(task);
    } catch (RejectedExecutionException closed) {
      cancel();
    }
  }

  /* --------------- Receiving --------------- */

  /** The worker has dialled back. */
  void attached(Channel channel) {
    connection = channel;
    timer.enter(TcpPhase.PROLOGUE);
    if (isOver()) {
      sayKill();
    }
  }

  void frame(TwoPartFrame received) {
    if (isOver()) {
      return;
    }
    try {
      if (received.header().length > 0) {
        control(received.header());
      } else {
        item(received.body());
      }
    } catch (PeerFailureException failure) {
      finish(located(failure));
    } catch (WireFormatException fault) {
      unreadable(fault);
    } catch (DynamoException fault) {
      breakOff(fault.errorType(), "item cannot be read", false);
    }
  }

  private void unreadable(WireFormatException fault) {
    String what = "answer cannot be read: reason=" + fault.reason();
    breakOff(ErrorType.BACKEND_PROTOCOL, what, false);
  }

  private void control(byte[] header) {
    if (!prologueSeen) {
      prologueSeen = true;
      PeerError refusal = ResponseControl.readPrologue(header);
      if (refusal == null) {
        timer.enter(TcpPhase.FIRST_ITEM);
        markOpened();
      } else {
        finish(located(PeerFailureException.of(refusal)));
      }
    } else if (ResponseControl.readWord(header).equals(ResponseControl.SENTINEL) && finalSeen) {
      finish(null);
    } else {
      breakOff(ErrorType.DISCONNECTED, "worker ended its stream without a final item", false);
    }
  }

  private void item(byte[] body) {
    ResponseItem item = ResponseItem.decode(format.toMsgpack(body));
    if (!prologueSeen || (finalSeen && item.hasData())) {
      breakOff(ErrorType.BACKEND_PROTOCOL, "item outside of the stream", false);
      return;
    }
    timer.enter(TcpPhase.NEXT_ITEM);
    if (item.hasData()) {
      int waiting = offer(plane.codec().decodeItem(item.bytes(), item.dataStart(), item.dataEnd()));
      if (waiting >= plane.options().readAheadItems()) {
        rest();
      }
    }
    finalSeen |= item.isFinal();
  }

  /** The item's error with this stream's worker and attempt. */
  private DynamoException located(PeerFailureException failure) {
    String what = failure.getMessage();
    return error(failure.errorType(), what == null ? "worker failed" : what, failure);
  }

  void connectionLost() {
    if (finalSeen) {
      finish(null);
    } else {
      breakOff(ErrorType.DISCONNECTED, "worker is gone", false);
    }
  }

  void connectionFailed(Throwable cause) {
    Throwable root = cause.getCause() == null ? cause : cause.getCause();
    if (root instanceof WireFormatException fault) {
      unreadable(fault);
    } else {
      connectionLost();
    }
  }

  /* --------------- Demand --------------- */

  private void rest() {
    Channel channel = connection;
    if (channel == null) {
      return;
    }
    // In this order: whoever sees that the connection rests may wake it.
    channel.config().setAutoRead(false);
    resting.set(true);
    delivered();
  }

  @Override
  protected void delivered() {
    Channel channel = connection;
    if (channel != null
        && resting.get()
        && bufferedCount() <= plane.options().readAheadItems() / 2
        && resting.compareAndSet(true, false)) {
      channel.config().setAutoRead(true);
    }
  }

  /* --------------- Time --------------- */

  /** The worker owes nothing while items wait for the subscriber. */
  private boolean isBusy() {
    return bufferedCount() > 0;
  }

  private void overdue(TcpPhase phase) {
    if (isOver()) {
      return;
    }
    String what = phase.failure() + " within " + plane.options().bound(phase);
    breakOff(phase.errorType(), what, false);
  }

  /* --------------- End --------------- */

  @Override
  protected void leaveWorker() {
    release();
    sayKill();
  }

  private void sayKill() {
    Channel channel = connection;
    if (channel != null && left.compareAndSet(false, true)) {
      channel
          .writeAndFlush(Unpooled.wrappedBuffer(CallHome.killFrame()))
          .addListener(ChannelFutureListener.CLOSE);
    }
  }

  @Override
  protected void workerEnded() {
    release();
    Channel channel = connection;
    if (channel != null && left.compareAndSet(false, true)) {
      TcpIo.ignore(channel.close());
    }
  }

  @Override
  protected void release() {
    timer.stop();
    plane.untrack(this, subject);
  }
}
