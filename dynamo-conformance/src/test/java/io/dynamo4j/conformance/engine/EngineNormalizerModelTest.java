// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.conformance.plane.PublishedEvent;
import io.dynamo4j.indexer.engine.EngineEventNormalizer;
import io.dynamo4j.indexer.engine.EngineEventNormalizerBuilder;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The normalizer against the model in plain collections, batch by batch. */
class EngineNormalizerModelTest {
  private static final int STREAMS = 1_500;
  private static final int BATCHES = 40;

  @Test
  void shouldPublishWhatTheModelDoes() {
    for (int seed = 0; seed < STREAMS; seed++) {
      assertThat(firstDifference(seed, EnumSet.allOf(Policy.class))).isEmpty();
    }
  }

  /** A model without one policy is a normalizer that is wrong in one way. */
  @ParameterizedTest
  @EnumSource
  void shouldTellAModelThatIsWrongInOneWay(Policy missing) {
    Set<Policy> others = EnumSet.complementOf(EnumSet.of(missing));
    int caught = 0;
    for (int seed = 0; seed < 200 && caught == 0; seed++) {
      caught += firstDifference(seed, others).isEmpty() ? 0 : 1;
    }
    assertThat(caught).isPositive();
  }

  private static String firstDifference(long seed, Set<Policy> policies) {
    RandomEngineStream stream = new RandomEngineStream(seed);
    EngineConfig config = stream.config();
    ReferenceNormalizer model = new ReferenceNormalizer(config, policies, 0);
    EngineEventNormalizerBuilder builder = EngineEventNormalizer.builder(1, config.blockSize());
    if (config.imageToken() >= 0) {
      builder.imageToken((int) config.imageToken());
    }
    EngineEventNormalizer normalizer = builder.build();
    for (int i = 0; i < BATCHES; i++) {
      byte[] batch = stream.next();
      List<PublishedEvent> expected = model.read(batch);
      List<PublishedEvent> ours =
          normalizer.normalize(batch).stream().map(PublishedEvent::of).toList();
      if (!expected.equals(ours)) {
        return "seed=%d, batch=%d, hex=%s, expected=%s, ours=%s"
            .formatted(seed, i, HexFormat.of().formatHex(batch), expected, ours);
      }
    }
    return "";
  }
}
