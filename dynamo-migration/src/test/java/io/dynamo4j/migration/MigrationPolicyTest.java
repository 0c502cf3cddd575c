// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.migration.event.MigrationPhase;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class MigrationPolicyTest {
  private static final MigrationPolicy POLICY = MigrationPolicy.ofDefaults();

  private static DynamoException chain(ErrorType... outerToInner) {
    DynamoException link = null;
    for (int i = outerToInner.length - 1; i >= 0; i--) {
      link = new DynamoException(outerToInner[i], "link " + i, null, -1, link);
    }
    return Objects.requireNonNull(link);
  }

  private static ErrorType decisive(Throwable failure) {
    DynamoException error = POLICY.decisive(MigrationPhase.ONGOING_REQUEST, failure);
    return Objects.requireNonNull(error).errorType();
  }

  @Test
  void shouldTakeOutermostEligibleWhenSeveralMigrate() {
    assertThat(decisive(chain(ErrorType.STREAM_INCOMPLETE, ErrorType.ENGINE_SHUTDOWN)))
        .isEqualTo(ErrorType.STREAM_INCOMPLETE);
  }

  @Test
  void shouldLookThroughNeutralWhenEligibleIsInside() {
    assertThat(decisive(chain(ErrorType.BACKEND_UNKNOWN, ErrorType.ENGINE_SHUTDOWN)))
        .isEqualTo(ErrorType.ENGINE_SHUTDOWN);
  }

  @Test
  void shouldTakeVetoWhenItIsAnywhere() {
    assertThat(
            decisive(chain(ErrorType.DISCONNECTED, ErrorType.INTERNAL, ErrorType.POOL_EXHAUSTED)))
        .isEqualTo(ErrorType.POOL_EXHAUSTED);
    assertThat(decisive(chain(ErrorType.POOL_EXHAUSTED, ErrorType.DISCONNECTED)))
        .isEqualTo(ErrorType.POOL_EXHAUSTED);
  }

  @Test
  void shouldTakeOutermostWhenAllAreNeutral() {
    assertThat(decisive(chain(ErrorType.UNAVAILABLE, ErrorType.INTERNAL)))
        .isEqualTo(ErrorType.UNAVAILABLE);
  }

  @Test
  void shouldFindNothingWhenNoLinkIsTyped() {
    Throwable untyped = new IllegalStateException(new IllegalArgumentException());

    assertThat(POLICY.decisive(MigrationPhase.NEW_REQUEST, untyped)).isNull();
  }

  @Test
  void shouldEndWhenCausesFormACycle() {
    Exception outer = new Exception("outer");
    Exception inner = new Exception("inner", outer);
    outer.initCause(inner);

    assertThat(POLICY.decisive(MigrationPhase.NEW_REQUEST, outer)).isNull();
  }

  @Test
  void shouldDistinguishPhasesWhenWorkerRefusesForUnknownReasons() {
    assertThat(POLICY.verdict(MigrationPhase.NEW_REQUEST, ErrorType.BACKEND_UNKNOWN))
        .isEqualTo(Verdict.MIGRATES);
    assertThat(POLICY.verdict(MigrationPhase.ONGOING_REQUEST, ErrorType.BACKEND_UNKNOWN))
        .isEqualTo(Verdict.NEUTRAL);
  }

  @Test
  void shouldNotTouchDefaultsWhenRowIsReplaced() {
    MigrationPolicy changed =
        POLICY.toBuilder().set(ErrorType.DISCONNECTED, Verdict.VETOES).build();

    assertThat(changed.verdict(MigrationPhase.NEW_REQUEST, ErrorType.DISCONNECTED))
        .isEqualTo(Verdict.VETOES);
    assertThat(changed.verdict(MigrationPhase.NEW_REQUEST, ErrorType.CANNOT_CONNECT))
        .isEqualTo(Verdict.MIGRATES);
    assertThat(POLICY.verdict(MigrationPhase.NEW_REQUEST, ErrorType.DISCONNECTED))
        .isEqualTo(Verdict.MIGRATES);
  }
}
