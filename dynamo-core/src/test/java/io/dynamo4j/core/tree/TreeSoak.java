// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.tree;

import io.dynamo4j.core.testing.EventStreams;
import io.dynamo4j.core.testing.EventStreams.Hashes;
import io.dynamo4j.core.testing.ForkedJvm;
import io.dynamo4j.core.testing.ReaderRace;
import io.dynamo4j.core.tree.InterleavedWalk.Fault;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What a soak of the tree is made of. */
public final class TreeSoak {
  private static final Pattern CHURN =
      Pattern.compile("kept=(-?\\d+), operations=(\\d+), mostNodes=(\\d+)");
  private static final List<Hashes> KINDS = List.of(Hashes.values());
  private static final int READERS = 2;
  private static final int EVENTS = 400;

  private TreeSoak() {}

  public static SyncIndexer tree(long seed) {
    return RadixTree.create(seed);
  }

  public static void checkInvariants(SyncIndexer tree) {
    ((RadixTree) tree).checkInvariants();
  }

  /** Returns null if Lincheck finds nothing, else what it wrote. */
  public static @Nullable String lincheck(Path folder, int executions, int scenarios)
      throws IOException, InterruptedException {
    ForkedJvm.Result result =
        ForkedJvm.run(
            folder,
            List.of("-Xmx1g", "-Djdk.attach.allowAttachSelf=true"),
            LincheckRun.class.getName(),
            Fault.NONE.name(),
            String.valueOf(executions),
            String.valueOf(scenarios));
    return result.code() == 0 ? null : result.text();
  }

  /** Returns what a churn in a process of its own left. */
  public static SortedMap<String, Long> churn(Path folder, long operations, long seed)
      throws IOException, InterruptedException {
    ForkedJvm.Result result =
        ForkedJvm.run(
            folder,
            List.of("-Xmx1g", "-XX:+UseSerialGC"),
            ChurnMain.class.getName(),
            String.valueOf(operations),
            String.valueOf(seed));
    Matcher line = CHURN.matcher(result.text());
    if (!line.find()) {
      throw new AssertionError(result.text());
    }
    SortedMap<String, Long> seen = new TreeMap<>();
    seen.put("churn bytes kept", Long.valueOf(line.group(1)));
    seen.put("churn operations", Long.valueOf(line.group(2)));
    seen.put("churn most nodes", Long.valueOf(line.group(3)));
    return seen;
  }

  /** Races readers with the writer and returns what the lookups were. */
  public static SortedMap<String, Long> races(long seed, int rounds) throws Exception {
    ReaderRace.Tally all = new ReaderRace.Tally();
    ExecutorService threads = Executors.newFixedThreadPool(READERS);
    try {
      for (int round = 0; round < rounds; round++) {
        RadixTree tree = RadixTree.create(seed + round);
        Hashes hashes = KINDS.get(round % KINDS.size());
        all.add(
            ReaderRace.of(tree, tree::version, EventStreams.of(seed + round, hashes, EVENTS))
                .run(threads, READERS));
        tree.checkInvariants();
      }
    } finally {
      threads.shutdownNow();
    }
    SortedMap<String, Long> seen = new TreeMap<>();
    seen.put("race lookups undisturbed", all.undisturbed());
    seen.put("race lookups disturbed", all.disturbed());
    seen.put("race lookups too low", all.tooLow());
    return seen;
  }
}
