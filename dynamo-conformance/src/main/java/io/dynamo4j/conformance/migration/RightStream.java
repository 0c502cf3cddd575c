// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.migration;

import io.dynamo4j.core.model.CompletionUsage;
import io.dynamo4j.core.model.FinishReason;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.model.StopConditions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What a client is to get of what its workers send, one after the other. */
final class RightStream implements LegWalk.Sink {
  private final RightRequest owner;
  private final RightCase rightCase;
  private final PreprocessedRequest request;
  private final StopConditions stop;
  private final long leaveNanos;
  private final int leavesAfter;
  private final boolean streamed;
  private final List<Integer> delivered = new ArrayList<>();
  private final Map<Integer, RightText> texts = new TreeMap<>();
  private final Map<Integer, Integer> counts = new TreeMap<>();
  private final Map<Integer, List<String>> finishReasons = new TreeMap<>();
  private @Nullable CompletionUsage reported;
  private int deliveredBeforeLeg;
  private int pieces;
  private long outputTokens;
  private boolean held;
  private boolean saidAnything;
  private boolean clientGone;

  RightStream(
      RightRequest owner, RightCase rightCase, PreprocessedRequest request, ClientRun client) {
    this.owner = owner;
    this.rightCase = rightCase;
    this.request = request;
    this.stop = request.stopConditions();
    this.leaveNanos = client.leftNanos();
    this.leavesAfter = client.setup().leavesAfter();
    this.streamed = client.setup().isStreamed();
  }

  void legBegins() {
    deliveredBeforeLeg = delivered.size();
    held = false;
    texts.values().forEach(RightText::legBegins);
  }

  List<Integer> delivered() {
    return delivered;
  }

  /** Returns how many tokens the client got, in pieces that show something if it is a stream. */
  long outputTokens() {
    return outputTokens;
  }

  boolean isClientGone() {
    return clientGone;
  }

  /** Returns whether a worker said that the answer ends, but not well. */
  boolean isHeld() {
    return held;
  }

  boolean withholds() {
    return texts.values().stream().anyMatch(RightText::withholds);
  }

  @Override
  public boolean chunk(
      List<Integer> tokens,
      int choice,
      @Nullable FinishReason finish,
      @Nullable CompletionUsage usage,
      long atNanos) {
    if (clientGone) {
      return true;
    }
    if (usage != null) {
      reported = usage.rebased(deliveredBeforeLeg);
      if (deliveredBeforeLeg > 0) {
        rightCase.touch(Rule.USAGE);
      }
    }
    if (tokens.isEmpty() && finish == null) {
      saidAnything = true;
      return true;
    }
    if (finished(choice) || held) {
      rightCase.touch(Rule.FINISHED_IS_FINAL);
      return true;
    }
    if (finish != null && !finish.isComplete()) {
      held = true;
      rightCase.touch(Rule.INCOMPLETE_IS_NO_END);
      return true;
    }
    saidAnything = true;
    return take(tokens, choice, finish);
  }

  /** A client that leaves after so much text does so once it has it. */
  @Override
  public long leaveNanos() {
    return leavesAfter > 0 && !clientGone ? Leg.NEVER : leaveNanos;
  }

  @Override
  public boolean awaitsOnlyEnd() {
    return held || allFinished() || isSpent();
  }

  private boolean take(List<Integer> tokens, int choice, @Nullable FinishReason finish) {
    int had = counts.getOrDefault(choice, 0);
    long room = stop.maxTokens() == StopConditions.UNSET ? tokens.size() : stop.maxTokens() - had;
    boolean cut = tokens.size() > room;
    List<Integer> kept = cut ? tokens.subList(0, (int) Math.max(0, room)) : tokens;
    long length = (long) request.tokenIds().length() + delivered.size() + kept.size();
    if (!kept.isEmpty()) {
      owner.grows(length);
    }
    RightText text = text(choice);
    boolean visible = false;
    int before = delivered.size();
    int shownBefore = text.shown();
    for (int token : kept) {
      if (!text.isStopped()) {
        visible |= text.add(token);
        delivered.add(token);
        counts.merge(choice, 1, Integer::sum);
      }
    }
    if (text.shown() > shownBefore || cut || finish != null || text.isStopped() || !streamed) {
      outputTokens += delivered.size() - before;
    }
    if (visible && ++pieces == leavesAfter) {
      clientGone = true;
    }
    if (text.isStopped()) {
      if (text.isCrossed()) {
        rightCase.touch(Rule.VISIBLE_STOP);
      }
      return finish(choice, FinishReason.STOP) && !allFinished();
    }
    if (cut) {
      rightCase.touch(Rule.BUDGET_IS_FINAL);
      return finish(choice, FinishReason.LENGTH) && !allFinished();
    }
    if (finish != null) {
      finish(choice, finish);
    }
    return true;
  }

  private RightText text(int choice) {
    return texts.computeIfAbsent(choice, key -> new RightText(stop, request.samplingOptions()));
  }

  boolean finish(int choice, FinishReason reason) {
    finishReasons.computeIfAbsent(choice, key -> new ArrayList<>()).add(ClientRun.apiName(reason));
    return true;
  }

  private boolean finished(int choice) {
    return finishReasons.containsKey(choice);
  }

  boolean allFinished() {
    return finishReasons.size() == request.samplingOptions().n();
  }

  boolean isSpent() {
    return request.samplingOptions().n() == 1
        && stop.maxTokens() != StopConditions.UNSET
        && !delivered.isEmpty()
        && delivered.size() >= stop.maxTokens();
  }

  Map<Integer, String> texts() {
    Map<Integer, String> whole = new TreeMap<>();
    texts.forEach(
        (choice, text) -> {
          String seen = finished(choice) ? text.whole() : text.soFar();
          if (!seen.isEmpty()) {
            whole.put(choice, seen);
          }
        });
    return whole;
  }

  Map<Integer, List<String>> finishReasons() {
    return finishReasons;
  }

  /** Returns the log-probabilities that came with the tokens, where workers report them. */
  List<String> logProbs(boolean workersReport) {
    List<String> all = new ArrayList<>();
    for (int i = 0; workersReport && i < delivered.size(); i++) {
      all.add(ClientRun.rounded(ScriptRun.logProbs(i, 1)[0]));
    }
    return all;
  }

  @Nullable CompletionUsage usage(String end) {
    if (!saidAnything && !end.equals(Answer.COMPLETED)) {
      return null;
    }
    return reported == null
        ? CompletionUsage.of(request.tokenIds().length(), delivered.size())
        : new CompletionUsage(reported.promptTokens(), delivered.size(), reported.cachedTokens());
  }
}
