// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.testing.ForkedJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.io.TempDir;

/** With events over ZMQ and discovery by files or in memory, nobody looks for a broker. */
@EnabledForJreRange(
    max = JRE.JAVA_23,
    disabledReason = "later ones have no security manager, which is what sees every connect")
class NoBrokerTest {
  private static final int NATS = 4222;
  private static final int ETCD = 2379;
  private static final Pattern PORTS = Pattern.compile("bound=\\[(.*)], dialled=\\[(.*)]");

  @TempDir Path folder;

  @Test
  void shouldDialNeitherNatsNorEtcd() throws Exception {
    Matcher ports = run();

    assertThat(set(ports.group(2)))
        .as("every port of the fleet is dialled, and seen to be")
        .hasSizeGreaterThanOrEqualTo(3)
        .containsAll(set(ports.group(1)))
        .as("and no broker's")
        .doesNotContain(NATS, ETCD);
  }

  @Test
  void shouldNoticeAPlantedDialOfABroker() throws Exception {
    assertThat(set(run(String.valueOf(NATS)).group(2))).contains(NATS);
    assertThat(set(run(String.valueOf(ETCD)).group(2))).contains(ETCD);
  }

  private Matcher run(String... planted) throws IOException, InterruptedException {
    Path root = Files.createTempDirectory(folder, "fleet");
    String[] arguments = new String[1 + planted.length];
    arguments[0] = root.toString();
    System.arraycopy(planted, 0, arguments, 1, planted.length);
    ForkedJvm.Result result =
        ForkedJvm.run(
            folder,
            List.of("-Xmx256m", "-Djava.security.manager=" + DialRecorder.class.getName()),
            DialMain.class.getName(),
            arguments);
    Matcher ports = PORTS.matcher(result.text());
    assertThat(ports.find()).as(result.text()).isTrue();
    return ports;
  }

  private static Set<Integer> set(String numbers) {
    return Arrays.stream(numbers.split(", "))
        .map(Integer::valueOf)
        .collect(Collectors.toCollection(TreeSet::new));
  }
}
