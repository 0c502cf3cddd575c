// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.discovery;

import io.dynamo4j.wire.DiscoveryRecord;
import io.dynamo4j.wire.DiscoveryRecordCodec;
import io.dynamo4j.wire.WireFormatException;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The living records of one bucket, as last seen.
 *
 * <p>A record whose new content cannot be read keeps its old one: it may be half written.
 *
 * <p><b>Threads.</b> The lane of discovery.
 */
final class Bucket {
  private final String name;
  private final RecordFiles files;
  private final Duration timeToLive;
  private final TreeMap<String, Entry> entries = new TreeMap<>();
  private final TreeSet<String> unreadable = new TreeSet<>();

  Bucket(String name, RecordFiles files, Duration timeToLive) {
    this.name = name;
    this.files = files;
    this.timeToLive = timeToLive;
  }

  void scan(Instant now) throws IOException {
    Map<String, RecordFiles.Stamp> found = files.list(name);
    found.values().removeIf(stamp -> stamp.modified().plus(timeToLive).isBefore(now));
    entries.keySet().retainAll(found.keySet());
    unreadable.clear();
    for (Map.Entry<String, RecordFiles.Stamp> file : found.entrySet()) {
      Entry known = entries.get(file.getKey());
      if (known == null || !known.stamp.equals(file.getValue())) {
        read(file.getKey(), file.getValue());
      }
    }
  }

  private void read(String file, RecordFiles.Stamp stamp) {
    try {
      DiscoveryRecord record = DiscoveryRecordCodec.decode(files.read(name, file));
      entries.put(file, new Entry(stamp, record));
    } catch (WireFormatException | IOException notNow) {
      unreadable.add(file);
    }
  }

  /** Notes a record of our own, which is on its way to the file. */
  void put(String file, DiscoveryRecord record) {
    entries.put(file, new Entry(new RecordFiles.Stamp(Instant.MIN, -1), record));
  }

  void remove(String file) {
    entries.remove(file);
  }

  /** Returns the records of one kind, in the order of their names. */
  <T extends DiscoveryRecord> List<T> records(Class<T> kind) {
    List<T> records = new ArrayList<>();
    for (Entry entry : entries.values()) {
      if (kind.isInstance(entry.record)) {
        records.add(kind.cast(entry.record));
      }
    }
    return records;
  }

  int unreadableCount() {
    return unreadable.size();
  }

  /** A record, null if it is of an unknown kind, and the file it was read from. */
  private record Entry(RecordFiles.Stamp stamp, @Nullable DiscoveryRecord record) {}
}
