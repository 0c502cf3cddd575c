// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.durable;

import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.core.runtime.RandomSource;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.plane.DurableEventLog;
import io.dynamo4j.plane.DurableLogException;
import io.dynamo4j.plane.DurableLogException.Reason;
import io.dynamo4j.plane.LogConsumerFacts;
import io.dynamo4j.plane.LogEntry;
import io.dynamo4j.plane.LogFacts;
import io.dynamo4j.plane.SnapshotStore;
import io.dynamo4j.testkit.simulation.Simulation;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The far side of a durable log and of a store of snapshots, in virtual time. It outlives every
 * node of the simulation but its own.
 *
 * <p><b>Threads.</b> Only the one that drives the simulation.
 */
public final class SimulatedLogServer {
  private static final long NANOS_PER_MILLI = 1_000_000;

  private final Simulation simulation;
  private final SimulatedLogSettings settings;
  private final Scheduler lane;
  private final RandomSource random;
  private final List<Stored> entries = new ArrayList<>();
  private final Map<String, Stored> known = new LinkedHashMap<>();
  private final Map<String, Reader> readers = new TreeMap<>();
  private final TreeMap<String, byte[]> snapshots = new TreeMap<>();
  private long firstSequence = 1;
  private long bytes;
  private boolean reachable = true;
  private int lostReplyPermille;
  private long largestEntryCount;

  private SimulatedLogServer(Simulation simulation, String name, SimulatedLogSettings settings) {
    this.simulation = simulation;
    this.settings = settings;
    this.lane = simulation.node(name).lane("log");
    this.random = simulation.random("simulated-log:" + name);
  }

  /** Starts a server, empty, on a node of this name. */
  public static SimulatedLogServer start(
      Simulation simulation, String name, SimulatedLogSettings settings) {
    return new SimulatedLogServer(Objects.requireNonNull(simulation, "simulation"), name, settings);
  }

  /** Returns a client of the log for a node. */
  public DurableEventLog log(Environment environment) {
    return new SimulatedEventLog(new SimulatedLink(this, environment, "event-log"));
  }

  /** Returns a client of the snapshots for a node. */
  public SnapshotStore snapshots(Environment environment) {
    return new SimulatedSnapshotStore(new SimulatedLink(this, environment, "snapshots"));
  }

  /* --------------- Faults, and what the harness may know --------------- */

  /** Lets messages through, or none in either direction. */
  public void reachable(boolean isReachable) {
    this.reachable = isReachable;
  }

  /** Has this part of a thousand answers get lost on the way. */
  public void lostReplies(int permille) {
    this.lostReplyPermille = permille;
  }

  /** Forgets a reader, as a server does that was made anew. */
  public void forgetConsumer(String name) {
    readers.remove(name);
  }

  /** Forgets the log and who reads it, as if somebody had deleted it; snapshots stay. */
  public void forgetLog() {
    entries.clear();
    known.clear();
    readers.clear();
    firstSequence = 1;
    bytes = 0;
  }

  /** Returns the names of all readers. */
  public List<String> consumerNames() {
    return List.copyOf(readers.keySet());
  }

  /** Flips a bit in the middle of every snapshot, or of the newest alone. */
  public void corruptSnapshots(boolean newestOnly) {
    for (Map.Entry<String, byte[]> each : snapshots.descendingMap().entrySet()) {
      byte[] damaged = each.getValue().clone();
      damaged[damaged.length / 2] ^= 1;
      each.setValue(damaged);
      if (newestOnly) {
        return;
      }
    }
  }

  /** Returns the most entries that there ever were at once. */
  public long largestEntryCount() {
    return largestEntryCount;
  }

  /** Returns the number of the oldest entry that is left, that of the next one if none is. */
  public long firstSequence() {
    return firstSequence;
  }

  /** Returns how many entries there are now. */
  public long entryCount() {
    return entries.size();
  }

  /** Returns what is stored under a name. */
  public byte[] snapshot(String name) {
    return fetch(name).clone();
  }

  /** Stores something, as somebody else might. */
  public void putSnapshot(String name, byte[] content) {
    snapshots.put(name, content.clone());
  }

  /** Returns the names of all snapshots. */
  public List<String> snapshotNames() {
    return List.copyOf(snapshots.keySet());
  }

  /* --------------- Way there and back --------------- */

  Simulation simulation() {
    return simulation;
  }

  SimulatedLogSettings settings() {
    return settings;
  }

  boolean isReachable() {
    return reachable;
  }

  boolean losesReply() {
    return lostReplyPermille > 0 && random.nextInt(1_000) < lostReplyPermille;
  }

  long latencyNanos() {
    return (long) (random.nextDouble() * settings.maxLatency().toNanos());
  }

  Scheduler lane() {
    return lane;
  }

  /* --------------- The log, on the server's lane --------------- */

  long append(String messageId, byte[] payload) {
    expire();
    Stored repeated = known.get(messageId);
    if (repeated != null) {
      return repeated.sequence;
    }
    if (payload.length > settings.maxEntryBytes()) {
      throw new DurableLogException(
          Reason.TOO_LARGE,
          "entry is too long: bytes=" + payload.length + ", limit=" + settings.maxEntryBytes());
    }
    if (settings.maxEntries() >= 0 && entries.size() >= settings.maxEntries()) {
      throw new DurableLogException(Reason.FULL, "log is full: entries=" + entries.size());
    }
    Stored stored = new Stored(nextSequence(), messageId, payload, simulation.nowNanos());
    entries.add(stored);
    known.put(messageId, stored);
    bytes += payload.length;
    largestEntryCount = Math.max(largestEntryCount, entries.size());
    readers.values().forEach(this::serve);
    return stored.sequence;
  }

  private long nextSequence() {
    return firstSequence + entries.size();
  }

  private void expire() {
    long now = simulation.nowNanos();
    long oldest = now - settings.retention().toNanos();
    int gone = 0;
    while (gone < entries.size() && entries.get(gone).atNanos <= oldest) {
      gone++;
    }
    drop(gone);
    long forgotten = now - settings.dedupeWindow().toNanos();
    Iterator<Stored> ids = known.values().iterator();
    while (ids.hasNext() && ids.next().atNanos <= forgotten) {
      ids.remove();
    }
  }

  private void drop(int count) {
    List<Stored> gone = entries.subList(0, count);
    gone.forEach(each -> bytes -= each.payload.length);
    gone.clear();
    firstSequence += count;
  }

  LogFacts facts() {
    expire();
    return new LogFacts(
        firstSequence,
        nextSequence() - 1,
        bytes,
        simulation.nowNanos() / NANOS_PER_MILLI,
        settings.retention(),
        settings.maxEntries(),
        LogFacts.UNLIMITED,
        settings.maxEntryBytes(),
        settings.dedupeWindow());
  }

  Optional<LogEntry> entryAt(long sequence) {
    expire();
    return sequence >= firstSequence && sequence < nextSequence()
        ? Optional.of(entries.get((int) (sequence - firstSequence)).entry())
        : Optional.empty();
  }

  void purgeThrough(long sequence) {
    expire();
    drop((int) Math.max(0, Math.min(entries.size(), sequence - firstSequence + 1)));
  }

  List<LogConsumerFacts> consumers() {
    List<LogConsumerFacts> all = new ArrayList<>();
    readers.forEach(
        (name, reader) ->
            all.add(
                new LogConsumerFacts(
                    name,
                    reader.acknowledged,
                    reader.waiting != null && simulation.nowNanos() < reader.waitsUntilNanos)));
    return all;
  }

  void deleteConsumer(String name) {
    Reader gone = readers.remove(name);
    if (gone != null && gone.waiting != null) {
      gone.waiting.accept(null);
    }
  }

  void leave(String name) {
    Reader reader = readers.get(name);
    if (reader != null) {
      reader.waiting = null;
    }
  }

  /** Returns the number behind which the reader goes on. */
  long register(String name, long fromSequence) {
    expire();
    Reader reader =
        readers.computeIfAbsent(name, key -> new Reader(Math.max(fromSequence, firstSequence) - 1));
    return reader.acknowledged;
  }

  void acknowledge(String name, long sequence) {
    Reader reader = readers.get(name);
    if (reader != null) {
      reader.acknowledged = Math.max(reader.acknowledged, sequence);
    }
  }

  /**
   * Hands out what is behind {@code after}, now or once there is something.
   *
   * @param answer takes entries, at least one, or null if the reader is not known
   */
  void pull(
      String name,
      long after,
      int most,
      long untilNanos,
      Consumer<@Nullable List<LogEntry>> answer) {
    Reader reader = readers.get(name);
    if (reader == null) {
      answer.accept(null);
      return;
    }
    reader.waiting = answer;
    reader.waitsUntilNanos = untilNanos;
    reader.after = after;
    reader.most = most;
    serve(reader);
  }

  private void serve(Reader reader) {
    expire();
    Consumer<@Nullable List<LogEntry>> waiting = reader.waiting;
    if (waiting == null || simulation.nowNanos() >= reader.waitsUntilNanos || reader.most == 0) {
      return;
    }
    int from = (int) Math.max(0, reader.after - firstSequence + 1);
    int to = Math.min(entries.size(), from + reader.most);
    if (from < to) {
      List<LogEntry> found = new ArrayList<>();
      entries.subList(from, to).forEach(each -> found.add(each.entry()));
      reader.waiting = null;
      waiting.accept(found);
    }
  }

  /* --------------- Snapshots, on the server's lane --------------- */

  List<String> list() {
    return List.copyOf(snapshots.keySet());
  }

  void put(String name, byte[] content) {
    snapshots.put(name, content);
  }

  byte[] fetch(String name) {
    byte[] content = snapshots.get(name);
    if (content == null) {
      throw new DurableLogException(Reason.NOT_FOUND, "snapshot is not there: name=" + name);
    }
    return content;
  }

  void delete(String name) {
    snapshots.remove(name);
  }

  /** An entry that is kept. */
  private static final class Stored {
    final long sequence;
    final String messageId;
    final byte[] payload;
    final long atNanos;

    Stored(long sequence, String messageId, byte[] payload, long atNanos) {
      this.sequence = sequence;
      this.messageId = messageId;
      this.payload = payload;
      this.atNanos = atNanos;
    }

    LogEntry entry() {
      return LogEntry.of(sequence, atNanos / NANOS_PER_MILLI, payload);
    }

    @Override
    public String toString() {
      return messageId;
    }
  }

  /** A reader that is remembered, and what it waits for. */
  private static final class Reader {
    long acknowledged;
    @Nullable Consumer<@Nullable List<LogEntry>> waiting;
    long waitsUntilNanos;
    long after;
    int most;

    Reader(long acknowledged) {
      this.acknowledged = acknowledged;
    }
  }
}
