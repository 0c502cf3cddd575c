// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.migration;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.dynamo4j.core.model.CompletionUsage;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.FinishReason;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.model.StopConditions;
import io.dynamo4j.migration.MigrationOptions;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The right answer to one request, given which workers it was sent to: a walk through their scripts
 * that shares no code with the migrator. Notes where the recorded peer is known to be wrong.
 */
final class RightRequest {
  private static final Set<ErrorType> MIGRATES =
      EnumSet.of(
          ErrorType.CANNOT_CONNECT,
          ErrorType.DISCONNECTED,
          ErrorType.CONNECTION_TIMEOUT,
          ErrorType.BACKEND_CANNOT_CONNECT,
          ErrorType.BACKEND_DISCONNECTED,
          ErrorType.BACKEND_CONNECTION_TIMEOUT,
          ErrorType.RESPONSE_TIMEOUT,
          ErrorType.ENGINE_SHUTDOWN,
          ErrorType.STREAM_INCOMPLETE,
          ErrorType.WORKER_UNAVAILABLE,
          ErrorType.WORKER_OVERLOADED,
          ErrorType.BACKEND_CANCELLED);

  private final OurRun run;
  private final MigrationCase recorded;
  private final MigrationOptions options;
  private final PreprocessedRequest request;
  private final StopConditions stop;
  private final List<Leg> legs;
  private final long leaveNanos;
  private final long clientStartNanos;
  private final RightCase rightCase;
  private final int number;

  private final RightStream stream;
  private final List<String> dispatches = new ArrayList<>();
  private final Set<String> excluded = new TreeSet<>();
  private long attemptsLeft;
  private int attempt;
  private boolean tracking;
  private boolean openedOnce;
  private boolean streamOpen;
  private @Nullable String underWay;
  private @Nullable ErrorType trigger;
  private String end = Answer.HANGING;

  RightRequest(
      OurRun run, RightCase rightCase, int number, PreprocessedRequest request, ClientRun client) {
    this.run = run;
    this.rightCase = rightCase;
    this.number = number;
    this.recorded = run.recorded();
    this.options = recorded.setup().options();
    this.request = request;
    this.stop = request.stopConditions();
    this.legs = run.fleet().legs(request.requestId());
    this.leaveNanos = client.leftNanos();
    this.stream = new RightStream(this, rightCase, request, client);
    this.clientStartNanos = client.startedNanos();
    this.attemptsLeft = options.limit() + 1;
  }

  /** Walks through all attempts. */
  void walk() {
    long lastLoss = 0;
    while (end.equals(Answer.HANGING)) {
      List<Leg> mine = legs.stream().filter(each -> each.attempt == attempt).toList();
      attemptsLeft--;
      if (mine.isEmpty()) {
        nobodyLeft(lastLoss);
        return;
      }
      LegWalk.End ended = attempt(mine);
      lastLoss = ended.atNanos();
      if (!goesOn(ended, mine.get(mine.size() - 1))) {
        break;
      }
      attempt++;
    }
    if (legs.stream().anyMatch(each -> each.attempt > attempt)) {
      rightCase.fault("request was sent on after its end: request=" + request.requestId());
    }
  }

  /** Nothing was sent for an attempt: right only if nobody was there to send to. */
  private void nobodyLeft(long at) {
    Set<String> there = new TreeSet<>(run.fleet().registeredAt(Math.max(at, startNanos())));
    there.removeAll(excluded);
    if (request.routing().pinnedWorker() != null) {
      there.retainAll(Set.of(run.fleet().name(request.routing().pinnedWorker())));
    }
    if (leaveNanos != Leg.NEVER && legs.isEmpty()) {
      end = Answer.LEFT;
      return;
    }
    if (!there.isEmpty()) {
      rightCase.fault(
          "nothing was sent though a worker was there: request="
              + request.requestId()
              + ", workers="
              + there);
    }
    if (attempt > 0 && recorded.setup().mode() != CaseSetup.Mode.KV) {
      rightCase.touchIfRecordedRepeats();
    }
    fail(ErrorType.UNAVAILABLE);
  }

  private long startNanos() {
    return legs.isEmpty() ? clientStartNanos : legs.get(0).sentNanos;
  }

  private LegWalk.End attempt(List<Leg> mine) {
    stream.legBegins();
    LegWalk.End ended = null;
    for (Leg leg : mine) {
      if (excluded.contains(leg.worker)) {
        rightCase.fault("worker got a request that it had failed: worker=" + leg.worker);
      }
      rightCase.chosen(number, leg, excluded);
      boolean prefill = recorded.worker(leg.worker).prefill();
      if (leg.received != null) {
        dispatches.add(Dispatches.show(recorded, leg.worker, expected(prefill)));
      }
      ended = prefill ? walkPrefill(leg) : walkAnswer(leg);
      judgeStop(leg, ended);
    }
    return Objects.requireNonNull(ended);
  }

  /** Returns the request that a worker is to receive now. */
  private ObjectNode expected(boolean prefill) {
    ObjectNode json = RequestJson.write(request);
    ArrayNode tokens = json.withArray("/token_ids");
    stream.delivered().forEach(tokens::add);
    ObjectNode budgets = json.withObject("/stop_conditions");
    if (stop.maxTokens() != StopConditions.UNSET || prefill) {
      budgets.put("max_tokens", prefill ? 1 : Math.max(0, stop.maxTokens() - delivered()));
    }
    if (stop.minTokens() != StopConditions.UNSET) {
      budgets.put("min_tokens", Math.max(0, stop.minTokens() - delivered()));
    }
    if (recorded.setup().mode() == CaseSetup.Mode.KV) {
      json.withObject("/routing").put("dp_rank", 0);
    }
    if (recorded.isDisaggregated() && !prefill) {
      json.put("prefill_result", "present");
    }
    return json;
  }

  private LegWalk.End walkPrefill(Leg leg) {
    LegWalk walk = walk(leg, 1, new PrefillSink(leaveNanos));
    return walk.opens()
        ? walk.walk(delivered(), request.tokenIds().length() + delivered())
        : walk.refusal();
  }

  private LegWalk.End walkAnswer(Leg leg) {
    long budget =
        stop.maxTokens() == StopConditions.UNSET
            ? StopConditions.UNSET
            : Math.max(0, stop.maxTokens() - delivered());
    LegWalk walk = walk(leg, budget, stream);
    if (!walk.opens()) {
      return walk.refusal();
    }
    opened();
    LegWalk.End ended = walk.walk(delivered(), request.tokenIds().length() + delivered());
    if (ended.type() == ErrorType.RESPONSE_TIMEOUT && walk.sawIdleChunk()) {
      rightCase.touch(Rule.PROGRESS_IS_TOKENS);
    }
    return ended;
  }

  /** Whoever is at work when nobody wants it any more is told to stop; nobody is before. */
  private void judgeStop(Leg leg, LegWalk.End ended) {
    boolean givenUp =
        ended.kind() == LegWalk.End.Kind.ANSWERED
            || ended.kind() == LegWalk.End.Kind.LEFT
            || ended.type() == ErrorType.RESPONSE_TIMEOUT;
    boolean hears = leg.diedNanos == Leg.NEVER && leg.frozenNanos == Leg.NEVER;
    boolean atWork = leg.startNanos != Leg.NEVER && leg.overNanos > ended.atNanos();
    if (givenUp && hears && atWork && leg.stoppedNanos == Leg.NEVER) {
      rightCase.fault("worker was not told to stop: leg=" + leg);
    }
    if (leg.stoppedNanos < ended.atNanos()) {
      rightCase.fault("worker was told to stop before its time: leg=" + leg);
    }
  }

  private LegWalk walk(Leg leg, long budget, LegWalk.Sink sink) {
    return new LegWalk(
        recorded,
        leg,
        recorded.setup().stallTimeoutNanos(),
        run.fleet().framesSurvive(),
        budget,
        sink);
  }

  private void opened() {
    if (!openedOnce) {
      openedOnce = true;
      tracking = true;
      if (request.tokenIds().length() > options.maxSeqLen()) {
        outgrow();
      }
      if (!continues()) {
        attemptsLeft = 0;
      }
    }
    tracking &= attemptsLeft > 0;
    if (underWay != null) {
      count(underWay + "/success");
      underWay = null;
    }
    streamOpen = true;
  }

  /** Returns whether tokens say everything that another worker needs to go on. */
  private boolean continues() {
    return request.samplingOptions().n() == 1
        && request.samplingOptions().guidedDecoding() == null
        && !hasEmbeddings();
  }

  private boolean hasEmbeddings() {
    return request.extensions().get("prompt_embeds") != null;
  }

  private int delivered() {
    return stream.delivered().size();
  }

  /** The answer has grown; beyond the cap it is not continued. */
  void grows(long length) {
    if (tracking && length > options.maxSeqLen()) {
      outgrow();
    }
  }

  private void outgrow() {
    attemptsLeft = 0;
    tracking = false;
    count("exceeded");
  }

  // What becomes of it.

  /** Returns whether another attempt follows. */
  private boolean goesOn(LegWalk.End ended, Leg leg) {
    boolean wasOpen = streamOpen;
    streamOpen = false;
    switch (ended.kind()) {
      case ANSWERED -> {
        end = Answer.COMPLETED;
        return false;
      }
      case LEFT -> {
        end = Answer.LEFT;
        if (underWay != null) {
          count(underWay + "/cancelled");
        }
        return false;
      }
      case HANGING -> {
        return false;
      }
      default -> {}
    }
    if (stream.isClientGone() && leaveNanos <= ended.atNanos()) {
      end = Answer.LEFT;
      return false;
    }
    if (stream.allFinished()) {
      if (ended.type() != null && ended.type() != ErrorType.RESPONSE_TIMEOUT) {
        rightCase.touch(Rule.FINISHED_IS_FINAL);
      }
      end = Answer.COMPLETED;
      return false;
    }
    ErrorType type = ended.type() == null ? ErrorType.STREAM_INCOMPLETE : ended.type();
    if (ended.type() == null) {
      rightCase.touch(Rule.INCOMPLETE_IS_NO_END);
    }
    if (stream.isHeld() && type == ErrorType.RESPONSE_TIMEOUT) {
      type = ErrorType.STREAM_INCOMPLETE;
    }
    rightCase.lost(number, leg.worker, type, wasOpen, ended.atNanos());
    if (stream.isSpent()) {
      rightCase.touch(Rule.BUDGET_IS_FINAL);
      stream.finish(0, FinishReason.LENGTH);
      end = Answer.COMPLETED;
      return false;
    }
    return repaired(type, wasOpen, leg);
  }

  private boolean repaired(ErrorType type, boolean wasOpen, Leg leg) {
    excluded.add(leg.worker);
    if (type == ErrorType.BACKEND_CANCELLED) {
      rightCase.touch(Rule.UNASKED_CANCELLATION);
    }
    boolean refused = !wasOpen && type == ErrorType.BACKEND_UNKNOWN;
    if (type == ErrorType.BACKEND_INVALID_ARGUMENT && !wasOpen) {
      rightCase.touch(Rule.REFUSAL);
    }
    if ((!MIGRATES.contains(type) && !refused) || request.routing().pinnedWorker() != null) {
      fail(type);
      return false;
    }
    String phase = wasOpen ? "ongoing_request" : "new_request";
    count(phase);
    if (underWay == null) {
      underWay = phase;
      trigger = type;
    }
    if (wasOpen && hasEmbeddings()) {
      rightCase.touch(Rule.STATE_BEYOND_TOKENS);
    }
    if (!wasOpen && !continues() && options.limit() > 0) {
      rightCase.touch(Rule.STATE_BEYOND_TOKENS);
    }
    if (attemptsLeft == 0) {
      if (refused && "new_request".equals(underWay)) {
        rightCase.touch(Rule.REFUSAL);
      }
      fail(type);
      return false;
    }
    rightCase.retried();
    return true;
  }

  private void fail(ErrorType type) {
    if (underWay != null) {
      count(underWay + "/failure");
    }
    boolean streamBroke = "ongoing_request".equals(underWay);
    ErrorType told = streamBroke && trigger != null ? trigger : type;
    boolean unasked = told == ErrorType.BACKEND_CANCELLED || told == ErrorType.CANCELLED;
    end = Answer.failed(ErrorCodes.of(unasked ? ErrorType.STREAM_INCOMPLETE : told));
    if (stream.withholds()) {
      rightCase.touch(Rule.WITHHELD_TEXT);
    }
  }

  private void count(String name) {
    rightCase.count(name);
  }

  // What is seen.

  List<String> dispatches() {
    return dispatches;
  }

  String end() {
    return end;
  }

  RightStream stream() {
    return stream;
  }

  /** A prefill brings nothing that the client sees. */
  private record PrefillSink(long leaveNanos) implements LegWalk.Sink {
    @Override
    public boolean chunk(
        List<Integer> tokens,
        int choice,
        @Nullable FinishReason finish,
        @Nullable CompletionUsage usage,
        long atNanos) {
      return true;
    }

    @Override
    public boolean awaitsOnlyEnd() {
      return false;
    }
  }
}
