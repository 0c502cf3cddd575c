// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.index;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dynamo4j.benchmarks.SharedFolder;
import io.dynamo4j.benchmarks.index.LogShape.Assign;
import io.dynamo4j.benchmarks.index.LogShape.Evict;
import io.dynamo4j.core.tree.RadixTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

class OperationLogTest {

  private static List<long[]> rows() {
    List<long[]> rows = new ArrayList<>();
    for (int row = 0; row < 60; row++) {
      rows.add(new long[] {0, 1 + row % 3, 100 + row % 7, 1_000 + row});
    }
    return rows;
  }

  private static LogShape small(Assign assign, Evict evict) {
    return new LogShape(2, 3, 4, 40, 10, assign, evict);
  }

  private static List<KnownLog> smallKnownLogs() {
    return KnownLog.ALL.stream().filter(known -> known.queryBlocks() < 2_000_000).toList();
  }

  @ParameterizedTest
  @MethodSource("smallKnownLogs")
  void shouldGetTheChecksumsAndCountsOnRecord(KnownLog known) throws IOException {
    Path trace = SharedFolder.path("data/traces/conversation_trace.jsonl");
    if (!Files.exists(trace)) {
      SharedFolder.requireUnlessOptional(trace);
      Assumptions.abort("trace is absent: file=" + trace.getFileName());
    }
    assertThat(KnownLog.of(trace, known.shape())).contains(known);

    known.requireSame(OperationLog.of(TraceHashes.read(trace), known.shape()));
  }

  @ParameterizedTest
  @EnumSource(Evict.class)
  void shouldGetTheScoresOfTheCachesFromTheTree(Evict evict) {
    OperationLog log = OperationLog.of(rows(), small(Assign.RR, evict));

    assertThat(log.removedBlocks()).isPositive();
    assertThat(IndexMeasurements.of(log).wrongAnswers()).isZero();
  }

  @Test
  void shouldNoticeAnAnswerThatDiffersFromTheCaches() {
    OperationLog log = OperationLog.of(rows(), small(Assign.RR, Evict.TAIL));
    OperationLog other = OperationLog.of(rows(), small(Assign.STICKY, Evict.TAIL));
    QuerySet set = QuerySet.of(log).get(0);

    assertThat(set.wrongAnswers(IndexMeasurements.of(other).tree(), log, 1_000)).isPositive();
  }

  @Test
  void shouldSendEqualSecondHashesToOneWorkerWhenSticky() {
    OperationLog log = OperationLog.of(rows(), small(Assign.STICKY, Evict.TAIL));

    assertThat(log.checksum())
        .isNotEqualTo(OperationLog.of(rows(), small(Assign.RR, Evict.TAIL)).checksum());
    assertThat(log.events().stream().mapToLong(event -> event.workerId()).distinct().count())
        .isBetween(1L, 4L);
  }

  @Test
  void shouldDependOnEveryPartOfTheShapeAndOnNothingElse() {
    long checksum = OperationLog.of(rows(), LogShape.of(1, 1, 4)).checksum();

    assertThat(OperationLog.of(rows(), LogShape.of(1, 1, 4)).checksum()).isEqualTo(checksum);
    assertThat(OperationLog.of(rows(), LogShape.of(2, 1, 4)).checksum()).isNotEqualTo(checksum);
    assertThat(OperationLog.of(rows(), LogShape.of(1, 2, 4)).checksum()).isNotEqualTo(checksum);
    assertThat(OperationLog.of(rows(), LogShape.of(1, 1, 5)).checksum()).isNotEqualTo(checksum);
  }

  @Test
  void shouldGetTheSameScoresWhenEnginesNameBlocksTheirOwnWay() {
    OperationLog log = OperationLog.of(rows(), small(Assign.RR, Evict.HEAD));
    RadixTree tree = IndexMeasurements.applied(ForeignHashes.of(log.events()));

    assertThat(tree.blockCount()).isEqualTo(log.memberships());
    assertThat(QuerySet.of(log)).allMatch(set -> set.wrongAnswers(tree, log, 1_000) == 0);
  }

  @Test
  void shouldAllocateNothingInLookupsAndSteadyApply() {
    OperationLog log = OperationLog.of(rows(), small(Assign.RR, Evict.TAIL));

    IndexFigures.Once once = IndexMeasurements.of(log).once();

    assertThat(once.lookupAllocation()).isZero();
    assertThat(once.applyAllocation()).isZero();
  }

  @Test
  void shouldRefuseAnImpossibleShape() {
    assertThatThrownBy(() -> LogShape.of(1, 0, 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("factor=0");
  }
}
