// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.examples.fleet;

import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.core.runtime.RealEnvironment;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.plane.EventChannel;
import io.dynamo4j.plane.EventChannelDirectory;
import io.dynamo4j.plane.memory.InMemoryEventChannels;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * The process of the workers: does what its standard input asks for and ends with it. What it says
 * on its standard output is all that a directory of a real fleet would know, and what the run
 * counts.
 */
public final class FleetEngines {
  private final PrintStream out;
  private final Scheduler lane;
  private final List<EngineWorker> workers = new ArrayList<>();

  private FleetEngines(PrintStream out, Scheduler lane) {
    this.out = out;
    this.lane = lane;
  }

  /** Serves until standard input ends; arguments are those of {@link EngineSettings}. */
  public static void main(String[] args) throws IOException {
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    EngineSettings settings = EngineSettings.parse(args);
    InMemoryEventChannels channels = InMemoryEventChannels.create();
    try (RealEnvironment threads = RealEnvironment.create();
        LivePlanes planes =
            LivePlanes.open(
                settings.plane(),
                settings.server(),
                threads.environment(),
                channels,
                settings.timeScale())) {
      new FleetEngines(out, threads.environment().lanes().lane("fleet"))
          .serve(settings, threads.environment(), planes, channels);
    }
  }

  private void serve(
      EngineSettings settings,
      Environment environment,
      LivePlanes planes,
      InMemoryEventChannels channels)
      throws IOException {
    channels.watch(lane, new SpokenChannels());
    for (int position = 0; position < settings.workers(); position++) {
      workers.add(new EngineWorker(position, settings, environment, planes, lane, this::say));
    }
    lane.execute(() -> workers.forEach(EngineWorker::start));
    try (BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        String[] words = line.split(" ");
        lane.execute(() -> obey(words));
      }
    }
  }

  private void say(String line) {
    out.println(line);
  }

  private void obey(String[] words) {
    switch (words[0]) {
      case "kill" -> kill(Long.parseLong(words[1]));
      case "start" -> workers.get(Integer.parseInt(words[1])).start();
      case "restart" -> {
        workers.forEach(EngineWorker::kill);
        workers.forEach(EngineWorker::start);
      }
      case "flush" -> say("flushed");
      default -> throw new IllegalArgumentException("unknown command: command=" + words[0]);
    }
  }

  private void kill(long draw) {
    List<EngineWorker> candidates =
        workers.stream().filter(worker -> worker.openStreams() > 0).toList();
    if (candidates.isEmpty()) {
      say("spared");
      return;
    }
    EngineWorker victim = candidates.get((int) Long.remainderUnsigned(draw, candidates.size()));
    int openStreams = victim.openStreams();
    victim.kill();
    say("killed " + victim.position() + " " + openStreams);
  }

  /** Tells of publishers that others must connect to. */
  private final class SpokenChannels implements EventChannelDirectory.Listener {
    @Override
    public void added(EventChannel channel) {
      say(
          String.join(
              " ",
              "channel",
              channel.topic(),
              Long.toString(channel.publisherId()),
              channel.address().transport(),
              channel.address().value()));
    }

    @Override
    public void removed(EventChannel channel) {
      say("silent " + channel.topic() + " " + channel.publisherId());
    }
  }
}
