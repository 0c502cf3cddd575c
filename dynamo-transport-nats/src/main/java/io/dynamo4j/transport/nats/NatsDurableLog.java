// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.nats;

import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.plane.DurableEventLog;
import io.dynamo4j.plane.DurableLogException;
import io.dynamo4j.plane.DurableLogException.Reason;
import io.dynamo4j.plane.LogConsumerFacts;
import io.dynamo4j.plane.LogEntry;
import io.dynamo4j.plane.LogFacts;
import io.dynamo4j.plane.LogListener;
import io.dynamo4j.plane.LogSubscription;
import io.nats.client.Connection;
import io.nats.client.JetStreamApiException;
import io.nats.client.JetStreamManagement;
import io.nats.client.PublishOptions;
import io.nats.client.PurgeOptions;
import io.nats.client.api.ConsumerInfo;
import io.nats.client.api.MessageInfo;
import io.nats.client.api.StreamConfiguration;
import io.nats.client.api.StreamInfo;
import io.nats.client.api.StreamState;
import java.io.IOException;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * A component's durable log as a stream of JetStream, made if it is not there, never deleted. A
 * stream that is there but kept otherwise is not touched: every call fails with {@code
 * OTHER_CONFIGURATION} and says what differs.
 *
 * <p>While the server is away calls wait for it, as long as the request timeout says, and fail
 * then; readers wait without end.
 *
 * <p><b>Threads.</b> Any; waits for the server are on a thread of its own, {@code
 * dynamo4j-nats-log}, a daemon.
 */
public final class NatsDurableLog implements DurableEventLog {
  /** What headers and the protocol may take of a message beside the payload. */
  private static final int OVERHEAD_BYTES = 1_024;

  private static final long UNTAKEN_NANOS = 25_000_000;

  private final DurableStreamConfig config;
  private final NatsStorage storage;
  private final Environment environment;
  private final List<NatsLogReader> readers = new CopyOnWriteArrayList<>();
  private final NatsStream stream; // on the storage thread

  private NatsDurableLog(NatsTransport transport, DurableStreamConfig config, boolean makes) {
    this.config = Objects.requireNonNull(config, "config");
    this.stream = new NatsStream(config, makes);
    this.environment = transport.environment();
    this.storage = new NatsStorage(transport, config, "dynamo4j-nats-log");
  }

  /** Opens a log over a transport, which the caller closes after it; waits for nothing. */
  public static NatsDurableLog open(NatsTransport transport, DurableStreamConfig config) {
    return new NatsDurableLog(Objects.requireNonNull(transport, "transport"), config, true);
  }

  /**
   * Opens a log that may not be there and is kept as others want it: the stream is not made, and
   * calls fail with {@code NOT_FOUND} until somebody has made it. For who looks on, such as {@code
   * DurableLogWatch}.
   */
  public static NatsDurableLog observe(NatsTransport transport, DurableStreamConfig config) {
    return new NatsDurableLog(Objects.requireNonNull(transport, "transport"), config, false);
  }

  @Override
  public CompletionStage<Long> append(String messageId, byte[] payload) {
    Objects.requireNonNull(messageId, "messageId");
    Objects.requireNonNull(payload, "payload");
    return call(
        "append failed",
        (connection, management) -> {
          long room = connection.getMaxPayload() - OVERHEAD_BYTES;
          if (payload.length > room) {
            throw new DurableLogException(
                Reason.TOO_LARGE, "entry is too long: bytes=" + payload.length + ", limit=" + room);
          }
          return publish(management, messageId, payload);
        });
  }

  /**
   * Publishes until somebody takes it or the time is over: a server tells of a stream, and has
   * nobody take what is published to it, while it is still being made for somebody else.
   */
  private long publish(JetStreamManagement management, String messageId, byte[] payload)
      throws IOException, JetStreamApiException {
    PublishOptions options =
        PublishOptions.builder().messageId(messageId).expectedStream(config.stream()).build();
    long attempts = Math.max(1, config.requestTimeout().toNanos() / UNTAKEN_NANOS);
    for (long attempt = 1; ; attempt++) {
      try {
        return management.jetStream().publish(config.subject(), payload, options).getSeqno();
      } catch (IOException e) {
        if (attempt == attempts || !JetStreamFailures.isUntaken(e) || storage.isClosed()) {
          throw e;
        }
        storage.rest(UNTAKEN_NANOS);
      }
    }
  }

  @Override
  public LogSubscription consume(
      String consumer, long fromSequence, Scheduler lane, LogListener listener) {
    requireName(consumer);
    NatsLogReader reader =
        new NatsLogReader(
            this,
            environment.lanes().lane("nats-log-reader"),
            consumer,
            Math.max(1, fromSequence),
            Objects.requireNonNull(lane, "lane"),
            Objects.requireNonNull(listener, "listener"));
    readers.removeIf(NatsLogReader::isEnded);
    readers.add(reader);
    reader.start();
    return reader;
  }

  private static void requireName(String consumer) {
    if (!consumer.matches("[A-Za-z0-9_-]+")) {
      throw new IllegalArgumentException(
          "name must be letters, digits, hyphens, underscores: consumer=" + consumer);
    }
  }

  @Override
  public CompletionStage<LogFacts> facts() {
    return call("facts of the log failed", this::facts);
  }

  private LogFacts facts(Connection connection, JetStreamManagement management)
      throws IOException, JetStreamApiException {
    StreamInfo info = management.getStreamInfo(config.stream());
    StreamState state = info.getStreamState();
    StreamConfiguration kept = info.getConfiguration();
    ZonedDateTime serverTime = info.getTimestamp();
    long now =
        serverTime == null
            ? environment.wallClock().millis()
            : serverTime.toInstant().toEpochMilli();
    long first = state.getMsgCount() == 0 ? state.getLastSequence() + 1 : state.getFirstSequence();
    return new LogFacts(
        first,
        state.getLastSequence(),
        state.getByteCount(),
        now,
        kept.getMaxAge(),
        kept.getMaxMsgs(),
        kept.getMaxBytes(),
        (int) Math.min(Integer.MAX_VALUE, connection.getMaxPayload() - OVERHEAD_BYTES),
        kept.getDuplicateWindow());
  }

  @Override
  public CompletionStage<Optional<LogEntry>> entryAt(long sequence) {
    return call(
        "entry of the log cannot be fetched",
        (connection, management) -> {
          try {
            MessageInfo found = management.getMessage(config.stream(), sequence);
            return Optional.of(
                LogEntry.of(
                    found.getSeq(), found.getTime().toInstant().toEpochMilli(), found.getData()));
          } catch (JetStreamApiException e) {
            if (e.getApiErrorCode() != JetStreamFailures.NO_MESSAGE_FOUND) {
              throw e;
            }
            return Optional.empty();
          }
        });
  }

  @Override
  public CompletionStage<List<LogConsumerFacts>> consumers() {
    return call(
        "readers of the log cannot be listed",
        (connection, management) -> {
          List<LogConsumerFacts> all = new ArrayList<>();
          for (ConsumerInfo info : management.getConsumers(config.stream())) {
            all.add(
                new LogConsumerFacts(
                    info.getName(),
                    info.getAckFloor().getStreamSequence(),
                    info.getNumWaiting() > 0));
          }
          all.sort(Comparator.comparing(LogConsumerFacts::name));
          return all;
        });
  }

  @Override
  public CompletionStage<Void> deleteConsumer(String consumer) {
    requireName(consumer);
    return call(
            "reader of the log cannot be removed",
            (connection, management) -> {
              deleteConsumer(management, consumer);
              return true;
            })
        .thenAccept(done -> {});
  }

  void deleteConsumer(JetStreamManagement management, String consumer)
      throws IOException, JetStreamApiException {
    try {
      management.deleteConsumer(config.stream(), consumer);
    } catch (JetStreamApiException e) {
      if (e.getApiErrorCode() != JetStreamFailures.CONSUMER_NOT_FOUND) {
        throw e;
      }
    }
  }

  @Override
  public CompletionStage<Void> purgeThrough(long sequence) {
    return call(
            "log cannot be purged",
            (connection, management) -> {
              purge(management, sequence);
              return true;
            })
        .thenAccept(done -> {});
  }

  private void purge(JetStreamManagement management, long sequence)
      throws IOException, JetStreamApiException {
    StreamState state = management.getStreamInfo(config.stream()).getStreamState();
    if (state.getMsgCount() == 0 || sequence < state.getFirstSequence()) {
      return;
    }
    // The server takes the first that stays.
    long kept = Math.min(sequence, state.getLastSequence()) + 1;
    management.purgeStream(config.stream(), PurgeOptions.builder().sequence(kept).build());
  }

  /* --------------- The stream --------------- */

  DurableStreamConfig config() {
    return config;
  }

  NatsStorage storage() {
    return storage;
  }

  /** Something that needs the stream. */
  interface StreamCall<T> {
    T on(Connection connection, JetStreamManagement management) throws Exception;
  }

  <T> CompletionStage<T> call(String what, StreamCall<T> call) {
    return storage.call(
        what,
        (connection, options) -> {
          JetStreamManagement management = connection.jetStreamManagement(options);
          stream.ensure(management);
          try {
            return call.on(connection, management);
          } catch (IOException e) {
            // Whoever answers next may be a server that has no such stream.
            stream.forget();
            throw e;
          } catch (JetStreamApiException e) {
            if (e.getApiErrorCode() == JetStreamFailures.STREAM_NOT_FOUND) {
              stream.forget();
            }
            throw e;
          }
        });
  }

  /** Ends readers and what is under way; the stream and the readers' places stay. Idempotent. */
  @Override
  public void close() {
    readers.forEach(NatsLogReader::close);
    storage.close();
  }
}
