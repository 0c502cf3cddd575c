// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.FinishReason;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.model.RoutingHints;
import io.dynamo4j.core.model.SamplingOptions;
import io.dynamo4j.core.model.StopConditions;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.RandomSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * One request, its workers and its client, drawn from a seed. Which kinds of trouble occur at all
 * is drawn first, so that many scenarios have only one or two kinds.
 */
final class Scenario {
  static final long SHORT_PAUSE = Duration.ofMillis(101).toNanos();

  /** A little longer than the stall timeout: what follows comes while another attempt runs. */
  static final long STALL_PAUSE = Duration.ofMillis(1_007).toNanos();

  /** Longer than the end timeout. */
  static final long LONG_PAUSE = Duration.ofMillis(7_003).toNanos();

  /** Between two looks for a worker. */
  static final long POLL = Duration.ofMillis(307).toNanos() + 31_253;

  /** How long a drain may take. */
  static final long DRAIN_TIME = Duration.ofMillis(2_903).toNanos() + 703;

  private static final long BACK_OFF = Duration.ofMillis(211).toNanos() + 62_511;
  private static final long MOST_BACK_OFF = Duration.ofMillis(701).toNanos() + 62_519;

  final MigrationOptions options;
  final MigrationPolicy policy;

  /** When the last worker joins; {@code Long.MAX_VALUE} if it is there from the start. */
  final long joinAt;

  /** When a worker drains; {@code Long.MAX_VALUE} for never. */
  final long drainAt;

  final int drained;
  final long maxTokens;
  final List<Integer> stopTokenIds;
  final Replayability.Extent extent;
  final List<List<Act>> workers = new ArrayList<>();
  final List<Boolean> deaf = new ArrayList<>();
  final ClientShape client;
  final int clientWindow;
  final int clientStopsAt;
  private static final long NEVER = Long.MAX_VALUE;
  private final RandomSource random;
  private final boolean pauses;
  private final boolean refusals;
  private final boolean oddEnds;

  /** How a client asks for items. */
  enum ClientShape {
    UNBOUNDED,
    /** Asks for a window, and again for each item received. */
    WINDOW,
    /** The same, but thinks before it asks. */
    SLOW,
    /** Asks for some, later for all. */
    PAUSING,
    CANCELS,
    CANCELS_INSIDE,
    THROWS
  }

  private Scenario(long seed) {
    random = RandomSource.seeded(seed);
    pauses = random.nextInt(2) == 0;
    refusals = random.nextInt(2) == 0;
    oddEnds = random.nextInt(2) == 0;
    client = drawn(List.of(ClientShape.values()));
    clientWindow = 1 + random.nextInt(8);
    clientStopsAt = random.nextInt(8);
    MigrationOptions.Builder builder = MigrationOptions.builder().limit(random.nextInt(5));
    if (random.nextInt(4) == 0) {
      builder.maxSeqLen(1 + random.nextInt(20));
    }
    boolean steady = client != ClientShape.SLOW && client != ClientShape.PAUSING;
    builder.stallDetection(StallDetection.off());
    if (steady) {
      drawTimes(builder);
    }
    policy = drawPolicy();
    joinAt = builder.build().replacementWaitNanos() > 0 ? drawnTime(400, 3_000, 17) : NEVER;
    drainAt = steady && random.nextInt(3) == 0 ? drawnTime(0, 900, 977) : NEVER;
    drained = 1 + random.nextInt(2);
    options = builder.build();
    maxTokens = random.nextInt(6) == 0 ? StopConditions.UNSET : random.nextInt(25);
    stopTokenIds = random.nextInt(6) == 0 ? List.of(Rig.answer(10)[random.nextInt(10)]) : List.of();
    extent =
        random.nextInt(8) > 0
            ? Replayability.Extent.ALWAYS
            : drawn(List.of(Replayability.Extent.UNTIL_OPENED, Replayability.Extent.NEVER));
    int count = 1 + random.nextInt(6);
    for (int i = 0; i < count; i++) {
      workers.add(drawWorker());
      deaf.add(random.nextInt(4) == 0);
    }
  }

  /** Times that differ by odd numbers of nanoseconds, so that no two things fall together. */
  private void drawTimes(MigrationOptions.Builder builder) {
    if (random.nextInt(3) == 0) {
      builder.stallTimeout(Duration.ofSeconds(1));
    }
    if (random.nextInt(4) == 0) {
      builder.prologueTimeout(Duration.ofNanos(811_007_003));
    }
    if (random.nextInt(4) == 0) {
      builder.firstTokenTimeout(Duration.ofNanos(907_011_029));
    }
    if (random.nextInt(4) == 0) {
      builder.stallDetection(StallDetection.of(3, Duration.ofNanos(260_000_311)));
    }
    if (random.nextInt(3) == 0) {
      builder.hedgeAfter(Duration.ofNanos(53_250_007));
    }
    if (random.nextInt(4) == 0) {
      builder.deadline(Duration.ofNanos(drawnTime(200, 4_000, 500_019)));
    }
    if (random.nextInt(3) == 0) {
      builder
          .replacementWait(Duration.ofNanos(2_003_000_041))
          .replacementPoll(BackOff.fixed(Duration.ofNanos(POLL)));
    }
  }

  private long drawnTime(int leastMillis, int mostMillis, long nanos) {
    int millis = leastMillis + random.nextInt(mostMillis - leastMillis);
    return Duration.ofMillis(millis).toNanos() + nanos;
  }

  private MigrationPolicy drawPolicy() {
    if (random.nextInt(3) > 0) {
      return MigrationPolicy.ofDefaults();
    }
    BackOff backOff =
        BackOff.exponential(Duration.ofNanos(BACK_OFF), 2, Duration.ofNanos(MOST_BACK_OFF));
    RetryRule.Builder rule = RetryRule.builder();
    if (random.nextInt(3) > 0) {
      rule.backOff(backOff);
    }
    if (random.nextInt(2) == 0) {
      rule.limit(random.nextInt(3));
    }
    if (random.nextInt(3) == 0) {
      rule.within(Duration.ofNanos(60_000_019));
    }
    return MigrationPolicy.ofDefaults().toBuilder()
        .rule(ErrorType.DISCONNECTED, rule.build())
        .build();
  }

  /** Returns the pause after the n-th failure of a type. */
  long pauseNanos(ErrorType type, int count) {
    if (policy.rule(type).backOff().isNone()) {
      return 0;
    }
    long pause = BACK_OFF;
    for (int i = 1; i < count; i++) {
      pause = Math.min(2 * pause, MOST_BACK_OFF);
    }
    return pause;
  }

  static Scenario draw(long seed) {
    return new Scenario(seed);
  }

  PreprocessedRequest request() {
    PreprocessedRequest.Builder request =
        Rig.request()
            .stopConditions(
                StopConditions.builder().maxTokens(maxTokens).stopTokenIds(stopTokenIds).build());
    switch (extent) {
      case UNTIL_OPENED ->
          request.samplingOptions(
              SamplingOptions.builder().guidedDecoding(Map.of("regex", ".*")).build());
      case NEVER ->
          request.routing(RoutingHints.builder().pinnedWorker(WorkerWithDpRank.of(1)).build());
      case ALWAYS -> {}
    }
    return request.build();
  }

  private <T> T drawn(List<T> choices) {
    return choices.get(random.nextInt(choices.size()));
  }

  private List<Act> drawWorker() {
    List<Act> acts = new ArrayList<>();
    if (refusals && random.nextInt(3) == 0) {
      drawPause(acts);
      acts.add(new Act.Fail(drawError()));
      return acts;
    }
    if (random.nextInt(2) == 0) {
      acts.add(new Act.Open());
    }
    if (random.nextInt(3) == 0) {
      drawPacedTokens(acts);
    }
    int items = random.nextInt(7);
    for (int i = 0; i < items; i++) {
      drawPause(acts);
      acts.add(random.nextInt(6) == 0 ? new Act.Note() : new Act.Tokens(1 + random.nextInt(3)));
    }
    drawPause(acts);
    drawEnd(acts);
    return acts;
  }

  /** So many tokens at one pace that the pace is known. */
  private void drawPacedTokens(List<Act> acts) {
    long pace = Duration.ofMillis(drawn(List.of(13L, 47L, 151L))).toNanos();
    int count = 3 + random.nextInt(9);
    for (int i = 0; i < count; i++) {
      acts.add(new Act.Pause(pace));
      acts.add(new Act.Tokens(1));
    }
  }

  private void drawPause(List<Act> acts) {
    if (pauses && random.nextInt(3) == 0) {
      acts.add(
          new Act.Pause(
              drawn(List.of(SHORT_PAUSE, SHORT_PAUSE, SHORT_PAUSE, STALL_PAUSE, LONG_PAUSE))));
    }
  }

  private void drawEnd(List<Act> acts) {
    switch (random.nextInt(oddEnds ? 7 : 3)) {
      case 0 -> drawFinish(acts, FinishReason.EOS, new Act.Complete());
      case 3 -> acts.add(new Act.Complete());
      case 4 -> drawFinish(acts, FinishReason.CANCELLED, new Act.Fail(drawError()));
      case 5 -> drawFinish(acts, FinishReason.STOP, new Act.Fail(drawError()));
      case 6 -> drawPause(acts); // and hangs
      default -> acts.add(new Act.Fail(drawError()));
    }
  }

  private void drawFinish(List<Act> acts, FinishReason reason, Act last) {
    acts.add(new Act.Finish(random.nextInt(3), reason));
    if (oddEnds && random.nextInt(3) == 0) {
      acts.add(random.nextInt(2) == 0 ? new Act.Tokens(2) : new Act.Note());
    }
    drawPause(acts);
    acts.add(last);
  }

  private ErrorType drawError() {
    return random.nextInt(4) == 0 ? drawn(List.of(ErrorType.values())) : ErrorType.DISCONNECTED;
  }

  @Override
  public String toString() {
    return "limit="
        + options.limit()
        + ", maxSeqLen="
        + options.maxSeqLen()
        + ", stallNanos="
        + options.stallTimeoutNanos()
        + ", prologueNanos="
        + options.prologueTimeoutNanos()
        + ", firstTokenNanos="
        + options.firstTokenTimeoutNanos()
        + ", stallDetection="
        + options.stallDetection()
        + ", hedgeNanos="
        + options.hedgeAfterNanos()
        + ", deadlineNanos="
        + options.deadlineNanos()
        + ", waitNanos="
        + options.replacementWaitNanos()
        + ", joinAt="
        + joinAt
        + ", drain="
        + drained
        + "@"
        + drainAt
        + ", rule="
        + policy.rule(ErrorType.DISCONNECTED)
        + ", maxTokens="
        + maxTokens
        + ", stop="
        + stopTokenIds
        + ", extent="
        + extent
        + ", client="
        + client
        + "/"
        + clientWindow
        + "/"
        + clientStopsAt
        + ", workers="
        + workers
        + ", deaf="
        + deaf;
  }
}
