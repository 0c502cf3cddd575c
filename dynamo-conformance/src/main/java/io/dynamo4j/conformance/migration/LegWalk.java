// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.migration;

import io.dynamo4j.core.model.CompletionUsage;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.FinishReason;
import io.dynamo4j.core.model.StopConditions;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The walk through what one worker did, by its script and the clock: which chunks it sent until
 * something ended it.
 */
final class LegWalk {
  /** How long a stream may stay open once nothing but its end should come. */
  static final long END_NANOS = 5_000_000_000L;

  /** What a worker's stream brings. */
  interface Sink {

    /**
     * Takes a chunk.
     *
     * @return whether the answer goes on after it
     */
    boolean chunk(
        List<Integer> tokens,
        int choice,
        @Nullable FinishReason finish,
        @Nullable CompletionUsage usage,
        long atNanos);

    /** Returns when the client leaves as far as that is known by now. */
    long leaveNanos();

    /** Returns whether nothing but the end of the stream is awaited. */
    boolean awaitsOnlyEnd();
  }

  /**
   * How a leg ended.
   *
   * @param type the error, or null
   */
  record End(Kind kind, @Nullable ErrorType type, long atNanos) {
    enum Kind {
      /** The answer is whole; the rest of the script does not matter. */
      ANSWERED,
      COMPLETED,
      FAILED,
      LEFT,
      /** Nothing ever comes. */
      HANGING
    }
  }

  private final MigrationCase recorded;
  private final Leg leg;
  private final long stallNanos;
  private final boolean framesSurvive;
  private final long budget;
  private final Sink sink;
  private int position;
  private int made;
  private int promptTokens;
  private long now;
  private long lastProgress;
  private boolean idleChunk;
  private @Nullable End end;

  LegWalk(
      MigrationCase recorded,
      Leg leg,
      long stallNanos,
      boolean framesSurvive,
      long budget,
      Sink sink) {
    this.recorded = recorded;
    this.leg = leg;
    this.stallNanos = stallNanos;
    this.framesSurvive = framesSurvive;
    this.budget = budget;
    this.sink = sink;
  }

  /** Returns whether the worker opened its stream at all. */
  boolean opens() {
    boolean lost = leg.diedNanos == leg.startNanos && !framesSurvive;
    boolean late = stallNanos > 0 && leg.startNanos - leg.sentNanos > stallNanos;
    return leg.refusal == null
        && leg.startNanos != Leg.NEVER
        && !lost
        && !late
        && leg.startNanos <= sink.leaveNanos();
  }

  /** Returns how a leg that did not open ended. */
  End refusal() {
    long at = leg.refusedNanos;
    ErrorType type = leg.refusal == null ? ErrorType.DISCONNECTED : leg.refusal;
    if (leg.refusal == null) {
      at = Math.min(leg.diedNanos, leg.startNanos);
    }
    if (stallNanos > 0 && at - leg.sentNanos > stallNanos) {
      at = leg.sentNanos + stallNanos;
      type = ErrorType.CONNECTION_TIMEOUT;
    }
    if (sink.leaveNanos() < at) {
      return new End(End.Kind.LEFT, null, sink.leaveNanos());
    }
    return new End(at == Leg.NEVER ? End.Kind.HANGING : End.Kind.FAILED, type, at);
  }

  /**
   * Walks.
   *
   * @param replayed how many tokens of the prompt are answer
   */
  End walk(int replayed, int promptLength) {
    position = replayed;
    promptTokens = promptLength;
    now = leg.startNanos;
    lastProgress = now;
    List<Act> script = leg.script == null ? List.of() : leg.script;
    for (Act act : script) {
      play(act);
      if (end != null) {
        return end;
      }
    }
    throw new IllegalStateException("script has no end");
  }

  /** Returns whether chunks came while no token did, until the time-out. */
  boolean sawIdleChunk() {
    return idleChunk;
  }

  private void play(Act act) {
    waitUntil(leg.frozenNanos < now ? Math.max(now, leg.thawedNanos) : now);
    if (end != null) {
      return;
    }
    if (act instanceof Act.Generate generate) {
      generate(generate.count(), generate.finish());
    } else if (act instanceof Act.Chunk chunk) {
      send(chunk.tokens(), chunk.choice(), chunk.finish(), chunk.usage());
    } else if (act instanceof Act.UpTo upTo) {
      long left = budget == StopConditions.UNSET ? ScriptParser.DEFAULT_ANSWER_TOKENS : budget;
      for (long i = 0; i < Math.min(left, upTo.atMost()); i++) {
        generate(1, null);
      }
      generate(0, FinishReason.LENGTH);
    } else if (act instanceof Act.Sleep sleep) {
      waitUntil(now + sleep.nanos());
    } else if (act instanceof Act.WaitStop wait) {
      waitUntil(now + wait.nanos());
    } else if (act instanceof Act.Hang || act instanceof Act.Freeze) {
      if (act instanceof Act.Hang || leg.thawedNanos == Leg.NEVER) {
        waitUntil(Leg.NEVER);
      }
    } else if (act instanceof Act.Exit) {
      finish(End.Kind.FAILED, ErrorType.DISCONNECTED, now);
    } else if (act instanceof Act.Fail fail) {
      finish(End.Kind.FAILED, fail.type(), now);
    } else if (act instanceof Act.End) {
      finish(End.Kind.COMPLETED, null, now);
    }
  }

  /** Lets time pass unless something comes first. */
  private void waitUntil(long until) {
    long died = leg.diedNanos;
    long stalled = deadline();
    long first = Math.min(Math.min(died, stalled), sink.leaveNanos());
    if (first > until || (first == until && until == now)) {
      now = until;
      return;
    }
    if (first == Leg.NEVER) {
      finish(End.Kind.HANGING, null, Leg.NEVER);
    } else if (sink.leaveNanos() == first) {
      finish(End.Kind.LEFT, null, first);
    } else if (died == first) {
      finish(End.Kind.FAILED, ErrorType.DISCONNECTED, first);
    } else {
      finish(End.Kind.FAILED, ErrorType.RESPONSE_TIMEOUT, first);
    }
  }

  private long deadline() {
    if (sink.awaitsOnlyEnd()) {
      return lastProgress + END_NANOS;
    }
    return stallNanos > 0 ? lastProgress + stallNanos : Leg.NEVER;
  }

  private void finish(End.Kind kind, @Nullable ErrorType type, long at) {
    if (end == null) {
      end = new End(kind, type, at);
    }
  }

  private void generate(int count, @Nullable FinishReason finish) {
    List<Integer> tokens = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      tokens.add(recorded.generated(position++));
    }
    made += count;
    CompletionUsage usage =
        finish != null && recorded.reportsUsage()
            ? new CompletionUsage(promptTokens, made, promptTokens / 2)
            : null;
    send(tokens, 0, finish, usage);
  }

  private void send(
      List<Integer> tokens,
      int choice,
      @Nullable FinishReason finish,
      @Nullable CompletionUsage usage) {
    boolean lost = !framesSurvive && (leg.diedNanos == now || leg.frozenNanos == now);
    if (end != null || lost) {
      return;
    }
    if (tokens.isEmpty() && finish == null) {
      idleChunk = true;
    } else {
      idleChunk = false;
      lastProgress = now;
    }
    if (!sink.chunk(tokens, choice, finish, usage, now)) {
      finish(End.Kind.ANSWERED, null, now);
    }
  }
}
