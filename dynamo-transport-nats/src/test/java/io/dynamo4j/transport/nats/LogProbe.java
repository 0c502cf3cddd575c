// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.nats;

import io.dynamo4j.plane.DurableLogException;
import io.dynamo4j.plane.LogEntry;
import io.dynamo4j.plane.LogListener;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

/** Keeps all that a reader is told. */
final class LogProbe implements LogListener {
  final CompletableFuture<Boolean> ready = new CompletableFuture<>();
  final List<LogEntry> entries = new CopyOnWriteArrayList<>();
  final List<DurableLogException> failures = new CopyOnWriteArrayList<>();

  @Override
  public void ready() {
    ready.complete(true);
  }

  @Override
  public void entry(LogEntry entry) {
    entries.add(entry);
  }

  @Override
  public void failed(DurableLogException failure) {
    failures.add(failure);
  }
}
