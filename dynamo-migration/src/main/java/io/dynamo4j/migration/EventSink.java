// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import io.dynamo4j.migration.event.MigrationEvent;
import io.dynamo4j.migration.event.MigrationListener;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The host's listener behind a guard: absent it costs nothing, failing it harms nothing. */
final class EventSink {
  private static final Logger LOG = LoggerFactory.getLogger(Migrator.class);

  private final @Nullable MigrationListener listener;
  private final ConcurrentSkipListSet<String> reportedFailures = new ConcurrentSkipListSet<>();

  private EventSink(@Nullable MigrationListener listener) {
    this.listener = listener;
  }

  static EventSink to(@Nullable MigrationListener listener) {
    return new EventSink(listener);
  }

  boolean isListening() {
    return listener != null;
  }

  /** Builds and sends an event if there is somebody to send it to. */
  void emit(Supplier<MigrationEvent> event) {
    if (listener == null) {
      return;
    }
    try {
      listener.onEvent(event.get());
    } catch (Throwable failure) {
      if (reportedFailures.add(failure.getClass().getName())) {
        LOG.warn("migration listener failed, later failures of this class are not logged", failure);
      }
    }
  }
}
