// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.testing.ForkedJvm;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** With events over ZMQ and discovery by files or in memory, nobody looks for a broker. */
class NoBrokerTest {
  private static final int NATS = 4222;
  private static final int ETCD = 2379;
  private static final Pattern BOUND = Pattern.compile("bound=\\[(.*)]");

  @TempDir Path folder;

  @Test
  void shouldDialNeitherNatsNorEtcd() throws Exception {
    Ports ports = run();

    assertThat(ports.dialled())
        .as("every port of the fleet is dialled, and seen to be")
        .hasSizeGreaterThanOrEqualTo(3)
        .containsAll(ports.bound())
        .as("and no broker's")
        .doesNotContain(NATS, ETCD);
  }

  @Test
  void shouldNoticeAPlantedDialOfABroker() throws Exception {
    assertThat(run(String.valueOf(NATS)).dialled()).contains(NATS);
    assertThat(run(String.valueOf(ETCD)).dialled()).contains(ETCD);
  }

  private record Ports(Set<Integer> bound, Set<Integer> dialled) {}

  private Ports run(String... planted) throws Exception {
    Path root = Files.createTempDirectory(folder, "fleet");
    String[] arguments = new String[1 + planted.length];
    arguments[0] = root.toString();
    System.arraycopy(planted, 0, arguments, 1, planted.length);
    try (DialRecorder recorder = DialRecorder.listen()) {
      CompletableFuture<String> process =
          CompletableFuture.supplyAsync(() -> text(recorder.option(), arguments));
      Set<Integer> dialled = recorder.follow();
      String text = process.get(60, TimeUnit.SECONDS);
      Matcher bound = BOUND.matcher(text);
      assertThat(bound.find()).as(text).isTrue();
      return new Ports(set(bound.group(1)), dialled);
    }
  }

  private String text(String option, String... arguments) {
    try {
      return ForkedJvm.run(folder, List.of("-Xmx256m", option), DialMain.class.getName(), arguments)
          .text();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Set<Integer> set(String numbers) {
    return Arrays.stream(numbers.split(", "))
        .map(Integer::valueOf)
        .collect(Collectors.toCollection(TreeSet::new));
  }
}
