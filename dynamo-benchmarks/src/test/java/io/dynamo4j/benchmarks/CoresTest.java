// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CoresTest {

  @ParameterizedTest
  @CsvSource({"'0-3', '0,1'", "'5', '5'", "'2,7-9', '2,7'", "'1-1,4', '1,4'"})
  void shouldTakeTheFirstTwoCoresThatAreAllowed(String allowed, String expected) {
    assertThat(Cores.first(allowed)).isEqualTo(expected);
  }
}
