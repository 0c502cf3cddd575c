// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.zmq;

import java.util.ArrayDeque;
import java.util.Arrays;

/**
 * Makes one stream, each batch once and in order, of what a rank publishes and what it replays.
 *
 * <p>A hole in the numbers is asked for before anything behind it is handed on; what nobody has any
 * more is reported as lost. A number that goes back, or another batch under the number of the last
 * one known, is a new life of the engine.
 *
 * <p>After each new connection the last batch known is asked for again: the same bytes prove that
 * the engine has not been restarted meanwhile, and whatever follows was missed. Without a socket
 * for replay the numbers alone must tell.
 *
 * <p><b>Threads.</b> One. Numbers are unsigned.
 */
final class BatchOrder {

  /** Where the order leads. */
  interface Sink {

    /** The next batch. */
    void batch(long sequence, byte[] payload, boolean replayed);

    /** Whatever the engine held is gone; numbers start anew. */
    void restarted();

    /** These numbers will never come. */
    void lost(long first, long last);

    /** Asks the engine for every batch from here on; an earlier request is abandoned. */
    void askReplay(long from);

    /** What is still to come of the present request is of no interest. */
    void endReplay();
  }

  /** Requests without a single new batch after which the socket for replay counts as deaf. */
  private static final int MAX_FRUITLESS = 3;

  private static final int MAX_HELD = 16_384;
  private static final long MAX_HELD_BYTES = 64L << 20;

  private final Sink sink;
  private final boolean canReplay;
  private final ArrayDeque<Held> held = new ArrayDeque<>();
  private long heldBytes;

  private boolean started;
  private long next;
  private byte[] last = {};

  private boolean liveSeen;
  private long lastLive;

  private boolean replaying;
  private boolean probing;
  private boolean progress;
  private int fruitless;
  private boolean exhausted;
  private boolean deaf;

  private long repeated;
  private long notHeld;

  BatchOrder(Sink sink, boolean canReplay) {
    this.sink = sink;
    this.canReplay = canReplay;
  }

  /** A connection was made; perhaps to another process than before. */
  void connected() {
    if (!canReplay) {
      return;
    }
    deaf = false;
    fruitless = 0;
    exhausted = false;
    dropHeld();
    ask(started);
  }

  /** The engine published a batch. */
  void live(long sequence, byte[] payload) {
    if (replaying) {
      hold(sequence, payload);
    } else if (!accept(sequence, payload)) {
      held.add(new Held(sequence, payload));
      heldBytes += payload.length;
    }
  }

  /** Takes a batch or asks for those before it; false if it has to wait for them. */
  private boolean accept(long sequence, byte[] payload) {
    if (liveSeen && Long.compareUnsigned(sequence, lastLive) <= 0) {
      restart();
    }
    int order = Long.compareUnsigned(sequence, next);
    if (order > 0 && mayAsk()) {
      ask(false);
      return false;
    }
    liveSeen = true;
    lastLive = sequence;
    if (order < 0) {
      repeated++;
      return true;
    }
    if (order > 0) {
      sink.lost(next, sequence - 1);
    }
    exhausted = false;
    deliver(sequence, payload, false);
    return true;
  }

  private boolean mayAsk() {
    return canReplay && !exhausted && !deaf;
  }

  private void deliver(long sequence, byte[] payload, boolean replayed) {
    started = true;
    next = sequence + 1;
    last = payload;
    sink.batch(sequence, payload, replayed);
  }

  private void hold(long sequence, byte[] payload) {
    if (!held.isEmpty() && Long.compareUnsigned(sequence, held.getLast().sequence) <= 0) {
      dropHeld();
      restart();
      ask(false);
    }
    if (held.size() == MAX_HELD || heldBytes > MAX_HELD_BYTES) {
      notHeld++; // Shows as a hole, which is asked for.
      return;
    }
    held.add(new Held(sequence, payload));
    heldBytes += payload.length;
  }

  private void dropHeld() {
    held.clear();
    heldBytes = 0;
  }

  private void restart() {
    started = false;
    next = 0;
    last = new byte[0];
    liveSeen = false;
    exhausted = false;
    probing = false;
    sink.restarted();
  }

  private void ask(boolean probe) {
    replaying = true;
    probing = probe;
    progress = false;
    sink.askReplay(probe ? next - 1 : next);
  }

  /** The engine replayed a batch. */
  void replayed(long sequence, byte[] payload) {
    if (!replaying) {
      return;
    }
    if (probing) {
      prove(sequence, payload);
      return;
    }
    int order = Long.compareUnsigned(sequence, next);
    if (order < 0) {
      return;
    }
    if (order > 0) {
      if (progress) {
        ask(false); // A slow reader loses batches in the middle: again from the hole.
        return;
      }
      sink.lost(next, sequence - 1);
    }
    progress = true;
    deliver(sequence, payload, true);
  }

  private void prove(long sequence, byte[] payload) {
    if (sequence == next - 1 && Arrays.equals(payload, last)) {
      probing = false;
      liveSeen = false;
      progress = true;
    } else {
      restart();
      ask(false);
    }
  }

  /** The engine has replayed all that it has. */
  void replayEnded() {
    if (!replaying) {
      return;
    }
    if (probing) {
      restart();
      ask(false);
      return;
    }
    if (progress && isHeldBehindHole()) {
      ask(false);
      return;
    }
    finishReplay();
  }

  private boolean isHeldBehindHole() {
    for (Held each : held) {
      int order = Long.compareUnsigned(each.sequence, next);
      if (order >= 0) {
        return order > 0;
      }
    }
    return false;
  }

  /** Nothing has come for a while, and no end either. */
  void replayTimedOut() {
    if (!replaying) {
      return;
    }
    fruitless = progress ? 0 : fruitless + 1;
    if (fruitless < MAX_FRUITLESS) {
      ask(probing);
      return;
    }
    deaf = true;
    if (probing) {
      // Not proven and not refuted: a number that goes back still tells.
      liveSeen = true;
      lastLive = next - 1;
    }
    finishReplay();
  }

  private void finishReplay() {
    replaying = false;
    probing = false;
    fruitless = 0;
    exhausted = true;
    sink.endReplay();
    while (!replaying && !held.isEmpty()) {
      Held first = held.remove();
      heldBytes -= first.payload.length;
      if (!accept(first.sequence, first.payload)) {
        held.addFirst(first);
        heldBytes += first.payload.length;
      }
    }
    if (!replaying) {
      exhausted = false;
    }
  }

  boolean isReplaying() {
    return replaying;
  }

  /** Returns whether the engine has not answered any request on this connection. */
  boolean isDeaf() {
    return deaf;
  }

  /** Returns whether a batch of this life is known. */
  boolean isStarted() {
    return started;
  }

  /** Returns the number that comes next. */
  long next() {
    return next;
  }

  /** Returns how many batches came again after they had been replayed. */
  long repeated() {
    return repeated;
  }

  /** Returns how many batches found no room while a replay was under way. */
  long notHeld() {
    return notHeld;
  }

  private static final class Held {
    final long sequence;
    final byte[] payload;

    Held(long sequence, byte[] payload) {
      this.sequence = sequence;
      this.payload = payload;
    }
  }
}
