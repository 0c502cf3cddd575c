// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.nats;

import io.dynamo4j.plane.DurableLogException;
import io.dynamo4j.plane.DurableLogException.Reason;
import io.dynamo4j.plane.SnapshotPieces;
import io.nats.client.Connection;
import io.nats.client.JetStreamApiException;
import io.nats.client.JetStreamOptions;
import io.nats.client.JetStreamSubscription;
import io.nats.client.Message;
import io.nats.client.ObjectStoreOptions;
import io.nats.client.PullSubscribeOptions;
import io.nats.client.api.AckPolicy;
import io.nats.client.api.ConsumerConfiguration;
import io.nats.client.api.ObjectInfo;
import java.io.IOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayDeque;
import java.util.Base64;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * An object's chunks, asked for a few at a time, so that no more than those wait in memory, and
 * held against the object's digest. While one is worked on the next is fetched.
 *
 * <p><b>Threads.</b> As {@link SnapshotPieces} says; waits for the server are on the storage
 * thread, which serves others between two chunks.
 */
final class NatsSnapshotPieces implements SnapshotPieces {
  private static final int ASKED_FOR = 16;
  private static final int AHEAD = 2;
  private static final String WHAT = "snapshot cannot be read";

  /** Looks an object up, null if it is not there. */
  interface Lookup {
    CompletionStage<@Nullable ObjectInfo> find(String name);
  }

  private final NatsStorage storage;
  private final DurableStreamConfig config;
  private final String name;
  private final CompletionStage<@Nullable ObjectInfo> found;
  private final ArrayDeque<CompletionStage<Optional<byte[]>>> ahead = new ArrayDeque<>();
  private volatile long totalBytes;
  private volatile boolean closed;

  // On the storage thread.
  private final MessageDigest digest = sha256();
  private @Nullable JetStreamSubscription subscription;
  private long read;
  private long readBytes;
  private long asked;

  NatsSnapshotPieces(NatsStorage storage, DurableStreamConfig config, String name, Lookup lookup) {
    this.storage = storage;
    this.config = config;
    this.name = name;
    this.found = lookup.find(name);
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  @Override
  public CompletionStage<Optional<byte[]>> next() {
    while (ahead.size() < AHEAD) {
      ahead.add(found.thenCompose(this::fetch));
    }
    return ahead.remove();
  }

  private CompletionStage<Optional<byte[]>> fetch(@Nullable ObjectInfo info) {
    if (info == null) {
      return CompletableFuture.failedFuture(notFound());
    }
    totalBytes = info.getSize();
    return storage.call(WHAT, (connection, options) -> fetch(info, connection, options));
  }

  private DurableLogException notFound() {
    return new DurableLogException(Reason.NOT_FOUND, "snapshot is not there: name=" + name);
  }

  private Optional<byte[]> fetch(ObjectInfo info, Connection connection, JetStreamOptions options)
      throws Exception {
    if (closed) {
      throw new DurableLogException(Reason.CLOSED, "reading has ended: name=" + name);
    }
    if (read == info.getChunks()) {
      end(info);
      return Optional.empty();
    }
    JetStreamSubscription from =
        subscription == null ? open(info, connection, options) : subscription;
    Message message = from.nextMessage(config.requestTimeout());
    while (message != null && !message.isJetStream()) {
      message = from.nextMessage(config.requestTimeout());
    }
    if (message == null) {
      stop();
      return unanswered(connection, options);
    }
    read++;
    if (asked - read <= ASKED_FOR / 2 && asked < info.getChunks()) {
      ask(from, info);
    }
    byte[] piece = message.getData();
    readBytes += piece.length;
    digest.update(piece);
    return Optional.of(piece);
  }

  private JetStreamSubscription open(
      ObjectInfo info, Connection connection, JetStreamOptions options)
      throws IOException, JetStreamApiException {
    JetStreamSubscription opened =
        connection
            .jetStream(options)
            .subscribe(
                "$O." + config.bucket() + ".C." + info.getNuid(),
                PullSubscribeOptions.builder().stream("OBJ_" + config.bucket())
                    .configuration(
                        ConsumerConfiguration.builder()
                            .ackPolicy(AckPolicy.None)
                            .memStorage(true)
                            .inactiveThreshold(config.requestTimeout().multipliedBy(2))
                            .build())
                    .build());
    subscription = opened;
    ask(opened, info);
    return opened;
  }

  private void ask(JetStreamSubscription from, ObjectInfo info) {
    int more = (int) Math.min(ASKED_FOR - (asked - read), info.getChunks() - asked);
    from.pull(more);
    asked += more;
  }

  /** Chunks go with the object, and nobody says so to who waits for one. */
  private Optional<byte[]> unanswered(Connection connection, JetStreamOptions options)
      throws IOException, JetStreamApiException {
    if (connection
            .objectStore(
                config.bucket(), ObjectStoreOptions.builder().jetStreamOptions(options).build())
            .getInfo(name)
        == null) {
      throw notFound();
    }
    throw new IOException("chunk does not come: read=" + read);
  }

  private void end(ObjectInfo info) {
    stop();
    String expected = info.getDigest() == null ? "" : info.getDigest();
    byte[] sum = Base64.getUrlDecoder().decode(expected.substring(expected.indexOf('=') + 1));
    if (readBytes != info.getSize() || !MessageDigest.isEqual(sum, digest.digest())) {
      throw new DurableLogException(
          Reason.CORRUPT,
          "snapshot is damaged: name=" + name + ", bytes=" + readBytes + ", of=" + info.getSize());
    }
  }

  private void stop() {
    JetStreamSubscription former = subscription;
    subscription = null;
    if (former != null && former.isActive()) {
      former.unsubscribe();
    }
  }

  @Override
  public long totalBytes() {
    return totalBytes;
  }

  @Override
  public void close() {
    closed = true;
    storage.execute(this::stop);
  }
}
