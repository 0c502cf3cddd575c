// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.discovery;

import io.dynamo4j.core.runtime.Cancellable;
import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.plane.EventChannelDirectory;
import io.dynamo4j.plane.WorkerDirectory;
import io.dynamo4j.wire.DiscoveryRecord;
import io.dynamo4j.wire.RecordKeys;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Scans, keep-alives and our own records.
 *
 * <p>Our own records are seen in the order in which they were registered, each on its own: they do
 * not wait for a scan.
 *
 * <p><b>Threads.</b> Everything on one lane, but the writing of our own files, which a lock guards
 * so that {@link #close} takes them away before it returns.
 */
final class FileRegistry {
  private final Environment environment;
  private final Scheduler lane;
  private final RecordFiles files;
  private final Duration scanInterval;
  private final Duration keepAliveInterval;
  private final Bucket instances;
  private final Bucket models;
  private final Bucket channels;
  private final Bucket sourceRecords;
  private final WorkerView workers;
  private final ChannelView channelView;
  private final AtomicLong failures = new AtomicLong();
  private volatile List<DiscoveryRecord.Source> sources = List.of();
  private volatile int unreadable;

  private final ReentrantLock writing = new ReentrantLock();
  private final TreeMap<Path, byte[]> own = new TreeMap<>(); // writing
  private volatile boolean closed;
  private volatile @Nullable Cancellable nextScan;
  private volatile @Nullable Cancellable nextKeepAlive;

  FileRegistry(FileDiscovery.Builder settings) {
    this.environment = settings.environment();
    this.lane = environment.lanes().lane("discovery");
    this.files = new RecordFiles(settings.root(), environment.random().split("record-files"));
    this.scanInterval = settings.scanInterval();
    this.keepAliveInterval = settings.timeToLive().dividedBy(3);
    Duration timeToLive = settings.timeToLive();
    this.instances = new Bucket(RecordKeys.INSTANCES, files, timeToLive);
    this.models = new Bucket(RecordKeys.MODELS, files, timeToLive);
    this.channels = new Bucket(RecordKeys.EVENT_CHANNELS, files, timeToLive);
    this.sourceRecords = new Bucket(RecordKeys.EVENT_SOURCES, files, timeToLive);
    this.workers = new WorkerView(settings::isLookedFor, settings.needsModelCard());
    this.channelView = new ChannelView(channel -> register(List.of(OwnRecord.of(channel))));
  }

  void start() {
    lane.execute(this::scan);
    nextKeepAlive = lane.schedule(this::keepAlive, keepAliveInterval.toNanos());
  }

  WorkerDirectory workers() {
    return workers.directory();
  }

  EventChannelDirectory eventChannels() {
    return channelView;
  }

  List<DiscoveryRecord.Source> sources() {
    return sources;
  }

  long[] withoutCard() {
    return workers.withoutCard();
  }

  int unreadableCount() {
    return unreadable;
  }

  long failureCount() {
    return failures.get();
  }

  /* --------------- Scans --------------- */

  private List<Bucket> buckets() {
    return List.of(instances, models, channels, sourceRecords);
  }

  private Bucket bucket(String name) {
    return switch (name) {
      case RecordKeys.INSTANCES -> instances;
      case RecordKeys.MODELS -> models;
      case RecordKeys.EVENT_CHANNELS -> channels;
      default -> sourceRecords;
    };
  }

  private void scan() {
    if (closed) {
      return;
    }
    // Whatever goes wrong with one look, there is a next one.
    try {
      look();
    } finally {
      nextScan = again(this::scan, scanInterval);
    }
  }

  private void look() {
    Instant now = environment.wallClock().instant();
    int faults = 0;
    for (Bucket bucket : buckets()) {
      try {
        bucket.scan(now);
      } catch (IOException e) {
        // What was there stays: a file system that fails says nothing about workers.
        failures.incrementAndGet();
      }
      faults += bucket.unreadableCount();
    }
    unreadable = faults;
    show();
  }

  private void show() {
    sources = sourceRecords.records(DiscoveryRecord.Source.class);
    workers.update(
        instances.records(DiscoveryRecord.Instance.class),
        models.records(DiscoveryRecord.Model.class));
    channelView.update(channels.records(DiscoveryRecord.Channel.class));
  }

  private @Nullable Cancellable again(Runnable task, Duration after) {
    try {
      return lane.schedule(task, after.toNanos());
    } catch (RejectedExecutionException lanesClosed) {
      return null;
    }
  }

  /* --------------- Our own records --------------- */

  Registration register(List<OwnRecord> records) {
    Handle handle = new Handle(records);
    lane.execute(handle::write);
    return handle;
  }

  private void keepAlive() {
    if (closed) {
      return;
    }
    try {
      touch();
    } finally {
      nextKeepAlive = again(this::keepAlive, keepAliveInterval);
    }
  }

  private void touch() {
    writing.lock();
    try {
      if (closed) {
        return;
      }
      Instant now = environment.wallClock().instant();
      for (Map.Entry<Path, byte[]> record : own.entrySet()) {
        try {
          if (!files.touch(record.getKey(), now)) {
            files.write(record.getKey(), record.getValue(), now);
          }
        } catch (IOException e) {
          failures.incrementAndGet();
        }
      }
    } finally {
      writing.unlock();
    }
  }

  void close() {
    writing.lock();
    try {
      closed = true;
      own.keySet().forEach(this::delete);
      own.clear();
    } finally {
      writing.unlock();
    }
    cancel(nextScan);
    cancel(nextKeepAlive);
  }

  private static void cancel(@Nullable Cancellable task) {
    if (task != null) {
      task.cancel();
    }
  }

  private void delete(Path file) {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      // It dies of age.
      failures.incrementAndGet();
    }
  }

  /** The records of one call. */
  private final class Handle implements Registration {
    private final List<OwnRecord> records;
    private final CompletableFuture<Void> registered = new CompletableFuture<>();

    Handle(List<OwnRecord> records) {
      this.records = records;
    }

    @Override
    public CompletionStage<Void> registered() {
      return registered.minimalCompletionStage();
    }

    private void write() {
      IOException failure = writeAll();
      // What depends on it runs here, and must not find the files locked.
      if (failure == null) {
        registered.complete(null);
      } else {
        registered.completeExceptionally(failure);
      }
    }

    private @Nullable IOException writeAll() {
      writing.lock();
      try {
        if (closed) {
          return new IOException("discovery is closed");
        }
        IOException failure = null;
        for (OwnRecord record : records) {
          failure = write(record, failure);
        }
        if (failure != null) {
          failures.incrementAndGet();
        }
        show();
        return failure;
      } finally {
        writing.unlock();
      }
    }

    private @Nullable IOException write(OwnRecord record, @Nullable IOException before) {
      Path file = files.path(record.bucket(), record.key());
      byte[] content = record.content();
      own.put(file, content);
      bucket(record.bucket()).put(record.fileName(), record.record());
      try {
        files.write(file, content, environment.wallClock().instant());
        return before;
      } catch (IOException e) {
        return e;
      }
    }

    @Override
    public void close() {
      try {
        lane.execute(this::remove);
      } catch (RejectedExecutionException lanesClosed) {
        remove();
      }
    }

    /** Takes the records away, unless a later registration has replaced them. */
    private void remove() {
      writing.lock();
      try {
        for (OwnRecord record : records) {
          Path file = files.path(record.bucket(), record.key());
          byte[] current = own.get(file);
          if (current != null && Arrays.equals(current, record.content())) {
            own.remove(file);
            bucket(record.bucket()).remove(record.fileName());
            delete(file);
          }
        }
        show();
      } finally {
        writing.unlock();
      }
    }
  }
}
