// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.examples.fleet;

import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.plane.Address;
import io.dynamo4j.plane.EventChannel;
import io.dynamo4j.plane.Subscription;
import io.dynamo4j.plane.WorkerDirectory;
import io.dynamo4j.plane.WorkerInstance;
import io.dynamo4j.plane.memory.InMemoryEventChannels;
import io.dynamo4j.plane.memory.InMemoryWorkerDirectory;
import io.dynamo4j.simulation.fleet.GatewayPlanes;
import io.dynamo4j.simulation.fleet.KillReport;
import io.dynamo4j.simulation.fleet.LiveEngines;
import io.dynamo4j.testkit.engine.MockEngineConfig;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * The other process of a run, as the gateway's sees it: who is registered there, and what it is
 * asked for.
 *
 * <p><b>Lanes.</b> What it says is heard on the lane given, where it also is to be asked.
 */
final class EngineProcess implements LiveEngines, AutoCloseable {
  private final Process process;
  private final BufferedWriter commands;
  private final Scheduler lane;
  private final InMemoryEventChannels channels;
  private final EngineSettings settings;
  private final InMemoryWorkerDirectory directory = InMemoryWorkerDirectory.create();
  private final Map<WorkerWithDpRank, WorkerInstance> queryTargets = new ConcurrentHashMap<>();
  private final Map<String, Subscription> registered = new ConcurrentHashMap<>();
  private final Deque<KillReport> reports = new ArrayDeque<>();
  private final Deque<Runnable> flushes = new ArrayDeque<>();
  private volatile CompletableFuture<Void> ready = new CompletableFuture<>();
  private final CompletableFuture<Void> ended = new CompletableFuture<>();
  private Admissions admissions = (row, cachedTokens) -> {};

  /** Hears what engines find cached. */
  interface Admissions {
    void admitted(int row, int cachedTokens);
  }

  private EngineProcess(
      Process process, Scheduler lane, InMemoryEventChannels channels, EngineSettings settings) {
    this.process = process;
    this.commands = process.outputWriter(StandardCharsets.UTF_8);
    this.lane = lane;
    this.channels = channels;
    this.settings = settings;
  }

  /** Starts workers. */
  static EngineProcess start(
      EngineSettings settings, Scheduler lane, InMemoryEventChannels channels) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:+UseSerialGC", "-Xmx1g"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add(FleetEngines.class.getName());
    command.addAll(settings.arguments());
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    EngineProcess engines = new EngineProcess(process, lane, channels, settings);
    Thread reader = new Thread(engines::read, "demo-engines");
    reader.setDaemon(true);
    reader.start();
    return engines;
  }

  WorkerDirectory directory() {
    return directory;
  }

  /** Returns where a rank's events are asked for, or null if it is gone. */
  @Nullable WorkerInstance queryTarget(WorkerInstance worker, WorkerWithDpRank rank) {
    return queryTargets.get(rank);
  }

  /** Completes once every worker is registered. */
  CompletableFuture<Void> ready() {
    return ready;
  }

  /** Gives every worker another life with an empty cache; completes once all are registered. */
  CompletableFuture<Void> restart() {
    CompletableFuture<Void> restarted = new CompletableFuture<>();
    lane.execute(
        () -> {
          ready = restarted;
          ask("restart");
        });
    return ended.isDone() ? CompletableFuture.failedFuture(gone()) : restarted;
  }

  private static IllegalStateException gone() {
    return new IllegalStateException("process of the workers ended");
  }

  /** Completes when the process is gone, however it ended. */
  CompletableFuture<Void> ended() {
    return ended;
  }

  void admissions(Admissions listener) {
    this.admissions = listener;
  }

  @Override
  public void kill(long draw, KillReport report) {
    reports.add(report);
    ask("kill " + draw);
  }

  @Override
  public void start(int position) {
    ask("start " + position);
  }

  @Override
  public void flush(Runnable action) {
    flushes.add(action);
    ask("flush");
  }

  private void ask(String command) {
    try {
      commands.write(command);
      commands.newLine();
      commands.flush();
    } catch (IOException e) {
      throw new UncheckedIOException("process of the workers is gone", e);
    }
  }

  private void read() {
    try (BufferedReader in = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        String[] words = line.split(" ");
        lane.execute(() -> hear(words));
      }
    } catch (IOException | RejectedExecutionException closed) {
      // Either side is at its end.
    } finally {
      ended.complete(null);
      ready.completeExceptionally(gone());
    }
  }

  private void hear(String[] words) {
    switch (words[0]) {
      case "worker" -> register(words);
      case "gone" -> unregister(Long.parseLong(words[1]));
      case "channel" -> open(words);
      case "silent" -> silence(words[1] + " " + words[2]);
      case "admitted" ->
          admissions.admitted(Integer.parseInt(words[1]), Integer.parseInt(words[2]));
      case "killed" ->
          reports.remove().killed(Integer.parseInt(words[1]), Integer.parseInt(words[2]));
      case "spared" -> reports.remove().spared();
      case "flushed" -> flushes.remove().run();
      default -> throw new IllegalStateException("process of the workers says: " + words[0]);
    }
  }

  private void register(String[] words) {
    long id = Long.parseLong(words[1]);
    WorkerInstance worker =
        WorkerInstance.builder(id, new Address(words[3], words[4]))
            .incarnation(Long.parseLong(words[2]))
            .kvBlockSize(settings.blockSize())
            .totalKvBlocks(settings.blocks())
            .maxBatchedTokens(MockEngineConfig.ofDefaults().maxBatchedTokens())
            .build();
    queryTargets.put(
        worker.rank(0),
        WorkerInstance.builder(id, new Address(words[5], words[6]))
            .incarnation(worker.incarnation())
            .build());
    directory.register(worker);
    if (directory.instances().size() == settings.workers()) {
      ready.complete(null);
    }
  }

  private void unregister(long id) {
    queryTargets.remove(new WorkerWithDpRank(id, 0));
    directory.unregister(id);
  }

  private void open(String[] words) {
    EventChannel channel =
        new EventChannel(
            GatewayPlanes.SCOPE,
            words[1],
            Long.parseLong(words[2]),
            new Address(words[3], words[4]));
    registered.put(words[1] + " " + words[2], channels.register(channel));
  }

  private void silence(String name) {
    Subscription channel = registered.remove(name);
    if (channel != null) {
      channel.close();
    }
  }

  /** Ends the process; waits until it is gone. */
  @Override
  public void close() {
    process.destroyForcibly();
    process.onExit().join();
  }
}
