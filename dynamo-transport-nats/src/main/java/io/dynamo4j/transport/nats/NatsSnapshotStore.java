// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.nats;

import io.dynamo4j.plane.DurableLogException;
import io.dynamo4j.plane.DurableLogException.Reason;
import io.dynamo4j.plane.SnapshotCopy;
import io.dynamo4j.plane.SnapshotPieces;
import io.dynamo4j.plane.SnapshotStore;
import io.dynamo4j.plane.SnapshotUpload;
import io.nats.client.Connection;
import io.nats.client.JetStreamApiException;
import io.nats.client.JetStreamOptions;
import io.nats.client.ObjectStore;
import io.nats.client.ObjectStoreManagement;
import io.nats.client.ObjectStoreOptions;
import io.nats.client.api.ObjectInfo;
import io.nats.client.api.ObjectMeta;
import io.nats.client.api.ObjectStoreConfiguration;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A component's snapshots in an object store of JetStream, a bucket made if it is not there.
 * Uploads and copies are in a temporary file, never in memory but for a chunk; {@link #read} needs
 * no file and keeps no more than 18 chunks of 128 KiB, the length in which uploads are stored.
 *
 * <p><b>Threads.</b> Any; waits for the server are on a thread of its own, {@code
 * dynamo4j-nats-snapshots}, a daemon.
 */
public final class NatsSnapshotStore implements SnapshotStore {
  private static final int CHUNK_BYTES = 128 << 10;
  private static final long FIRST_PROBE_MILLIS = 100;
  private static final String PROBE = "none";

  private final DurableStreamConfig config;
  private final NatsStorage storage;
  private boolean isEnsured; // on the storage thread

  private NatsSnapshotStore(NatsTransport transport, DurableStreamConfig config) {
    this.config = config;
    this.storage = new NatsStorage(transport, config, "dynamo4j-nats-snapshots");
  }

  /** Opens a store over a transport, which the caller closes after it; waits for nothing. */
  public static NatsSnapshotStore open(NatsTransport transport, DurableStreamConfig config) {
    return new NatsSnapshotStore(
        Objects.requireNonNull(transport, "transport"), Objects.requireNonNull(config, "config"));
  }

  @Override
  public CompletionStage<List<String>> list() {
    return call(
        "snapshots cannot be listed",
        objects -> {
          List<String> names = new ArrayList<>();
          for (ObjectInfo each : objects.getList()) {
            names.add(each.getObjectName());
          }
          names.sort(null);
          return names;
        });
  }

  @Override
  public SnapshotUpload create(String name) {
    return new Upload(Objects.requireNonNull(name, "name"));
  }

  @Override
  public CompletionStage<SnapshotCopy> get(String name) {
    Objects.requireNonNull(name, "name");
    return call("snapshot cannot be fetched", objects -> fetch(objects, name));
  }

  @Override
  public SnapshotPieces read(String name) {
    Objects.requireNonNull(name, "name");
    return new NatsSnapshotPieces(
        storage,
        config,
        name,
        wanted -> call("snapshot cannot be found", objects -> objects.getInfo(wanted)));
  }

  private SnapshotCopy fetch(ObjectStore objects, String name) throws Exception {
    ObjectInfo info = objects.getInfo(name);
    if (info == null) {
      throw new DurableLogException(Reason.NOT_FOUND, "snapshot is not there: name=" + name);
    }
    Path file = temporaryFile();
    try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file), CHUNK_BYTES)) {
      if (info.getSize() > 0) {
        // Of an object without bytes the client waits for a message that never comes.
        objects.get(name, out);
      }
      return new Copy(file);
    } catch (IllegalArgumentException | IllegalStateException damaged) {
      Files.deleteIfExists(file);
      throw new DurableLogException(
          Reason.CORRUPT,
          "snapshot is damaged: name=" + name + ", why=" + damaged.getMessage(),
          damaged);
    } catch (IOException | JetStreamApiException | InterruptedException e) {
      Files.deleteIfExists(file);
      throw e;
    }
  }

  @Override
  public CompletionStage<Void> delete(String name) {
    Objects.requireNonNull(name, "name");
    return call(
            "snapshot cannot be deleted",
            objects -> {
              if (objects.getInfo(name) != null) {
                objects.delete(name);
              }
              return true;
            })
        .thenAccept(done -> {});
  }

  /** Ends what is under way; what was committed stays. Idempotent. */
  @Override
  public void close() {
    storage.close();
  }

  private Path temporaryFile() throws IOException {
    Path folder = config.spoolFolder();
    return folder == null
        ? Files.createTempFile("dynamo4j-snapshot-", ".tmp")
        : Files.createTempFile(folder, "dynamo4j-snapshot-", ".tmp");
  }

  /* --------------- The bucket --------------- */

  private interface StoreCall<T> {
    T on(ObjectStore objects) throws Exception;
  }

  private <T> CompletionStage<T> call(String what, StoreCall<T> call) {
    return storage.call(
        what,
        (connection, options) -> {
          ObjectStoreOptions storeOptions =
              ObjectStoreOptions.builder().jetStreamOptions(options).build();
          ensure(connection, storeOptions);
          try {
            return call.on(connection.objectStore(config.bucket(), storeOptions));
          } catch (IOException | JetStreamApiException e) {
            isEnsured = false;
            throw e;
          }
        });
  }

  private void ensure(Connection connection, ObjectStoreOptions options)
      throws IOException, JetStreamApiException {
    if (isEnsured) {
      return;
    }
    ObjectStoreManagement management = connection.objectStoreManagement(options);
    if (!isThere(management)) {
      create(management);
    }
    awaitReady(connection);
    isEnsured = true;
  }

  private boolean isThere(ObjectStoreManagement management)
      throws IOException, JetStreamApiException {
    try {
      management.getStatus(config.bucket());
      return true;
    } catch (JetStreamApiException e) {
      if (e.getApiErrorCode() != JetStreamFailures.STREAM_NOT_FOUND) {
        throw e;
      }
      return false;
    }
  }

  private void create(ObjectStoreManagement management) throws IOException, JetStreamApiException {
    try {
      management.create(
          ObjectStoreConfiguration.builder(config.bucket()).replicas(config.replicas()).build());
    } catch (JetStreamApiException e) {
      // Whoever makes the same at the same moment has one of them refused.
      if (!JetStreamFailures.isInTheWay(e.getApiErrorCode()) || !isThere(management)) {
        throw e;
      }
    }
  }

  /**
   * Waits until the bucket answers: a server tells of one, and drops questions about its objects,
   * while it is still being made for somebody else.
   */
  private void awaitReady(Connection connection) throws IOException, JetStreamApiException {
    long leftMillis = config.requestTimeout().toMillis();
    long waitMillis = FIRST_PROBE_MILLIS;
    while (true) {
      try {
        connection.objectStore(config.bucket(), probing(waitMillis)).getInfo(PROBE);
        return;
      } catch (IOException unanswered) {
        leftMillis -= waitMillis;
        waitMillis = Math.min(2 * waitMillis, leftMillis);
        if (leftMillis <= 0) {
          throw unanswered;
        }
      }
    }
  }

  private static ObjectStoreOptions probing(long waitMillis) {
    return ObjectStoreOptions.builder()
        .jetStreamOptions(
            JetStreamOptions.builder().requestTimeout(Duration.ofMillis(waitMillis)).build())
        .build();
  }

  /** Bytes in a file until they are stored. */
  private final class Upload implements SnapshotUpload {
    private final String name;
    private final Spool spool = new Spool();
    private boolean isEnded;

    Upload(String name) {
      this.name = name;
    }

    @Override
    public OutputStream output() {
      return spool;
    }

    @Override
    public CompletionStage<Void> commit() {
      if (isEnded) {
        return CompletableFuture.failedFuture(
            new DurableLogException(Reason.CLOSED, "upload has ended: name=" + name));
      }
      isEnded = true;
      Path file;
      try {
        file = spool.end();
      } catch (IOException e) {
        return CompletableFuture.failedFuture(
            new DurableLogException(Reason.FULL, "snapshot cannot be kept: name=" + name, e));
      }
      return call(
              "snapshot cannot be stored",
              objects -> {
                try (InputStream in = Files.newInputStream(file)) {
                  ObjectMeta meta = ObjectMeta.builder(name).chunkSize(CHUNK_BYTES).build();
                  objects.put(meta, in);
                  return true;
                }
              })
          .whenComplete((done, failure) -> delete(file))
          .thenAccept(done -> {});
    }

    @Override
    public void abort() {
      if (!isEnded) {
        isEnded = true;
        try {
          delete(spool.end());
        } catch (IOException e) {
          // What is left is a temporary file.
        }
      }
    }
  }

  private static void delete(Path file) {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      // A temporary file.
    }
  }

  /** A file that is made at the first byte. */
  private final class Spool extends OutputStream {
    private @Nullable Path file;
    private @Nullable OutputStream out;

    private OutputStream open() throws IOException {
      OutputStream now = out;
      if (now == null) {
        file = temporaryFile();
        now = new BufferedOutputStream(Files.newOutputStream(file), CHUNK_BYTES);
        out = now;
      }
      return now;
    }

    @Override
    public void write(int value) throws IOException {
      open().write(value);
    }

    @Override
    public void write(byte[] from, int offset, int length) throws IOException {
      open().write(from, offset, length);
    }

    /** Ends the file. */
    Path end() throws IOException {
      open().close();
      return Objects.requireNonNull(file);
    }
  }

  private static final class Copy implements SnapshotCopy {
    private final Path file;

    Copy(Path file) {
      this.file = file;
    }

    @Override
    public InputStream open() throws IOException {
      return new BufferedInputStream(Files.newInputStream(file), CHUNK_BYTES);
    }

    @Override
    public void close() {
      delete(file);
    }
  }
}
