// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.index;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.dynamo4j.benchmarks.BenchResult.Fact;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class IndexReportTest {
  private static final String MEMORY = "{\"mode\": \"memory\", \"per_membership_after_sweep\": 40}";
  private static final String MIXED =
      "{\"mode\": \"mixed\", \"p50_ns\": {\"median\": 5}, \"p99_ns\": {\"median\": 9},"
          + " \"m_blocks_per_s\": {\"median\": 2}}";

  private final IndexReport report = new IndexReport("one row");

  private static TheirRound round(String... measurements) throws IOException {
    List<JsonNode> all = new ArrayList<>();
    for (String each : measurements) {
      all.add(new ObjectMapper().readTree(each));
    }
    return TheirRound.of(all);
  }

  @Test
  void shouldSayWhatTheComparatorLeftOutWhenTheTraceIsTooShortForIt() throws IOException {
    report.theirChecks(round(MEMORY), true);

    assertThat(report.facts())
        .extracting(Fact::quantity)
        .containsExactly(
            "queries that CRTC answers wrong, of its own sample, one row",
            "CRTC beside its writer, left out by the comparator for want of queries, one row");
  }

  @Test
  void shouldStateWhatTheComparatorMeasuredBesideItsWriter() throws IOException {
    report.theirChecks(round(MEMORY, MIXED), true);

    assertThat(report.facts())
        .contains(
            new Fact("CRTC beside its writer, read p50, one row", 5, "ns"),
            new Fact("CRTC beside its writer, read p99, one row", 9, "ns"),
            new Fact("CRTC beside its reader, applied, one row", 2, "Mblocks/s"));
  }
}
