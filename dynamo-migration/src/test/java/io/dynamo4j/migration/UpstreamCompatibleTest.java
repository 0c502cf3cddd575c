// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.FinishReason;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.model.SamplingOptions;
import io.dynamo4j.core.model.StopConditions;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.migration.event.MigrationPhase;
import io.dynamo4j.testkit.script.WorkerScript;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Each correction off, as Dynamo 1.6.1 was measured to behave, beside the same with it on. */
class UpstreamCompatibleTest {
  private static final WorkerScript HEALTHY = WorkerScript.open().answer();

  private static Rig on(long limit) {
    return Rig.withLimit(limit);
  }

  /** Everything as by default but for one correction. */
  private static Rig without(long limit, Correction correction) {
    return Rig.of(
        Migrator.builder()
            .options(MigrationOptions.builder().limit(limit).without(correction).build()));
  }

  private static Rig preset(long limit) {
    return Rig.of(Migrator.builder().upstreamCompatible().limit(limit));
  }

  private static PreprocessedRequest withTokens(long count) {
    return Rig.request().stopConditions(StopConditions.builder().maxTokens(count).build()).build();
  }

  @Test
  void shouldSwitchEveryCorrectionOffInPreset() {
    MigrationOptions preset = MigrationOptions.upstreamCompatible();

    assertThat(preset.corrections()).isEmpty();
    assertThat(preset.stallDetection().isOff()).isTrue();
    assertThat(MigrationOptions.ofDefaults().corrections()).containsExactly(Correction.values());
    for (Correction correction : Correction.values()) {
      assertThat(preset.toBuilder().with(correction).build().corrections())
          .containsExactly(correction);
    }
  }

  @Test
  void m1FinishedAnswerIsContinuedOnlyWithoutCorrection() {
    WorkerScript finishesThenBreaks =
        WorkerScript.open().tokens(2).finish(FinishReason.STOP).fail(ErrorType.DISCONNECTED);
    Rig on = on(1).worker(1, finishesThenBreaks).worker(2, HEALTHY);
    Rig off =
        without(1, Correction.END_FINISHED_ANSWERS)
            .worker(1, finishesThenBreaks)
            .worker(2, HEALTHY);

    assertThat(on.run(withTokens(4)).finishReasons()).containsExactly(FinishReason.STOP);
    RecordingClient client = off.run(withTokens(4));
    assertThat(client.finishReasons()).containsExactly(FinishReason.STOP, FinishReason.LENGTH);
    assertThat(client.tokens()).containsExactly(Rig.answer(4));
    assertThat(on.dispatches()).hasSize(1);
    assertThat(off.dispatches()).hasSize(2);
  }

  @Test
  void m2SpentBudgetIsDispatchedAgainOnlyWithoutCorrection() {
    WorkerScript spends = WorkerScript.open().tokens(4).fail(ErrorType.DISCONNECTED);
    Rig on = on(1).worker(1, spends).worker(2, HEALTHY);
    Rig off = without(1, Correction.END_WHOLE_ANSWERS).worker(1, spends).worker(2, HEALTHY);

    on.run(withTokens(4));
    off.run(withTokens(4));

    assertThat(on.dispatches()).hasSize(1);
    assertThat(off.dispatches()).hasSize(2);
    assertThat(off.dispatches().get(1).request().stopConditions().maxTokens()).isZero();
  }

  @Test
  void m2OverrunPassesOnlyWithoutCorrection() {
    WorkerScript overruns = WorkerScript.open().chunk(6, FinishReason.EOS).complete();

    assertThat(on(0).worker(1, overruns).run(withTokens(4)).tokens()).hasSize(4);
    assertThat(without(0, Correction.CLIP_OVERRUNS).worker(1, overruns).run(withTokens(4)).tokens())
        .hasSize(6);
  }

  @Test
  void m5FailedWorkerIsAskedAgainOnlyWithoutCorrection() {
    WorkerScript breaks = WorkerScript.open().tokens(1).fail(ErrorType.BACKEND_DISCONNECTED);
    Rig on = on(2).worker(1, breaks).worker(2, HEALTHY);
    Rig off = without(2, Correction.EXCLUDE_FAILED_WORKERS).worker(1, breaks).worker(2, HEALTHY);

    on.run(Rig.request().build());
    off.run(Rig.request().build());

    assertThat(on.dispatchedWorkers()).containsExactly(1L, 2L);
    assertThat(off.dispatchedWorkers()).containsExactly(1L, 1L, 1L);
  }

  @Test
  void m6BadRequestIsTriedEverywhereOnlyByUpstreamsTable() {
    WorkerScript refuses = WorkerScript.refuse(ErrorType.BACKEND_INVALID_ARGUMENT);
    Rig on = on(2).worker(1, refuses).worker(2, refuses).worker(3, refuses);
    Rig off = preset(2).worker(1, refuses);

    on.run(Rig.request().build());
    off.run(Rig.request().build());

    assertThat(on.dispatches()).hasSize(1);
    assertThat(off.dispatches()).hasSize(3);
  }

  @Test
  void m6WorkersOwnCancellationVetoesOnlyByUpstreamsTable() {
    MigrationPolicy ours = MigrationPolicy.ofDefaults();
    MigrationPolicy upstream = MigrationPolicy.upstreamCompatible();

    for (MigrationPhase phase : MigrationPhase.values()) {
      assertThat(ours.verdict(phase, ErrorType.BACKEND_CANCELLED)).isEqualTo(Verdict.MIGRATES);
      assertThat(upstream.verdict(phase, ErrorType.BACKEND_CANCELLED)).isEqualTo(Verdict.VETOES);
    }
  }

  @Test
  void m9IncompleteEndIsASuccessOnlyWithoutCorrection() {
    WorkerScript ends = WorkerScript.open().tokens(2).complete();
    WorkerScript cancels = WorkerScript.open().tokens(2).finish(FinishReason.CANCELLED).complete();
    WorkerScript errs = WorkerScript.open().tokens(2).finish(FinishReason.ERROR).complete();
    for (WorkerScript script : List.of(ends, cancels)) {
      assertThat(on(0).worker(1, script).run(Rig.request().build()).isCompleted()).isFalse();
      assertThat(
              without(0, Correction.REFUSE_INCOMPLETE_ENDS)
                  .worker(1, script)
                  .run(Rig.request().build())
                  .isCompleted())
          .isTrue();
    }
    Rig off = without(3, Correction.REFUSE_INCOMPLETE_ENDS).worker(1, errs).worker(2, HEALTHY);
    assertThat(off.run(Rig.request().build()).failure().errorType()).isEqualTo(ErrorType.INTERNAL);
    assertThat(off.dispatches()).hasSize(1);
  }

  @Test
  void m10ConnectRetriesAreLostOnlyWithoutCorrection() {
    for (SamplingOptions sampling :
        List.of(
            SamplingOptions.builder().n(2).build(),
            SamplingOptions.builder().guidedDecoding(Map.of("regex", "x")).build())) {
      PreprocessedRequest request = Rig.request().samplingOptions(sampling).build();
      WorkerScript refuses = WorkerScript.refuse(ErrorType.CANNOT_CONNECT);
      Rig on = on(1).worker(1, refuses).worker(2, HEALTHY);
      Rig off = without(1, Correction.RETRY_UNTIL_OPENED).worker(1, refuses).worker(2, HEALTHY);

      on.run(request);
      RecordingClient client = off.run(request);

      assertThat(on.dispatches()).hasSize(2);
      assertThat(off.dispatches()).hasSize(1);
      assertThat(client.failure().errorType()).isEqualTo(ErrorType.CANNOT_CONNECT);
    }
  }

  @Test
  void m12EmbeddingsAreReplayedOnlyWithoutCorrection() {
    PreprocessedRequest request =
        PreprocessedRequest.builder("r1", TokenSlice.empty())
            .extensions(Map.of("prompt_embeds", "AAAA"))
            .stopConditions(StopConditions.builder().maxTokens(4).build())
            .build();
    WorkerScript breaks = WorkerScript.open().tokens(2).fail(ErrorType.DISCONNECTED);
    Rig on = on(1).worker(1, breaks).worker(2, HEALTHY);
    Rig off = without(1, Correction.PROTECT_EMBEDDINGS).worker(1, breaks).worker(2, HEALTHY);

    RecordingClient client = on.run(request);
    off.run(request);

    assertThat(client.failure().errorType()).isEqualTo(ErrorType.DISCONNECTED);
    assertThat(client.failure().tokensDelivered()).isEqualTo(2);
    assertThat(on.dispatches()).hasSize(1);
    assertThat(off.dispatches().get(1).request().tokenIds().length()).isEqualTo(2);
  }

  @Test
  void m12EmbeddingsAreTriedElsewhereBeforeThePrologue() {
    PreprocessedRequest request = Rig.request().extensions(Map.of("prompt_embeds", "AAAA")).build();
    Rig rig = on(1).worker(1, WorkerScript.refuse(ErrorType.CANNOT_CONNECT)).worker(2, HEALTHY);

    assertThat(rig.run(request).isCompleted()).isTrue();
  }
}
