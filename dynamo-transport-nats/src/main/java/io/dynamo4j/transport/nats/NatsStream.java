// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.nats;

import io.dynamo4j.plane.DurableLogException;
import io.dynamo4j.plane.DurableLogException.Reason;
import io.nats.client.JetStreamApiException;
import io.nats.client.JetStreamManagement;
import io.nats.client.api.DiscardPolicy;
import io.nats.client.api.RetentionPolicy;
import io.nats.client.api.StorageType;
import io.nats.client.api.StreamConfiguration;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The stream of a durable log: one for all its clients, whoever of them comes first.
 *
 * <p><b>Threads.</b> The log's own.
 */
final class NatsStream {
  private final DurableStreamConfig config;
  private final boolean makes;
  private boolean isEnsured;

  NatsStream(DurableStreamConfig config) {
    this(config, true);
  }

  /**
   * Describes a stream.
   *
   * @param makes whether it is made if it is not there, and has to be kept as asked
   */
  NatsStream(DurableStreamConfig config, boolean makes) {
    this.config = config;
    this.makes = makes;
  }

  /** Lets the next call look again: a server may answer that has no such stream. */
  void forget() {
    isEnsured = false;
  }

  /** Makes the stream if it is not there, or refuses one that is kept otherwise. */
  void ensure(JetStreamManagement management) throws IOException, JetStreamApiException {
    if (isEnsured) {
      return;
    }
    StreamConfiguration kept = kept(management);
    if (makes) {
      requireEqual(kept == null ? made(management) : kept);
    } else if (kept == null) {
      throw new DurableLogException(
          Reason.NOT_FOUND, "stream is not there: stream=" + config.stream());
    }
    isEnsured = true;
  }

  private @Nullable StreamConfiguration kept(JetStreamManagement management)
      throws IOException, JetStreamApiException {
    try {
      return management.getStreamInfo(config.stream()).getConfiguration();
    } catch (JetStreamApiException e) {
      if (e.getApiErrorCode() != JetStreamFailures.STREAM_NOT_FOUND) {
        throw e;
      }
      return null;
    }
  }

  /**
   * Of clients that make the stream at the same moment the server refuses some, as if another
   * stream were in the way: whether one is shows only when the stream is asked for again.
   */
  private StreamConfiguration made(JetStreamManagement management)
      throws IOException, JetStreamApiException {
    try {
      return management.addStream(wanted()).getConfiguration();
    } catch (JetStreamApiException e) {
      StreamConfiguration madeByAnother =
          JetStreamFailures.isInTheWay(e.getApiErrorCode()) ? kept(management) : null;
      if (madeByAnother == null) {
        throw e;
      }
      return madeByAnother;
    }
  }

  private StreamConfiguration wanted() {
    return StreamConfiguration.builder()
        .name(config.stream())
        .subjects(config.stream() + ".*")
        .retentionPolicy(RetentionPolicy.Limits)
        .storageType(StorageType.File)
        .discardPolicy(DiscardPolicy.New)
        .maxAge(config.retention())
        .maxMessages(config.maxEntries())
        .maxBytes(config.maxBytes())
        .duplicateWindow(config.dedupeWindow())
        .replicas(config.replicas())
        .build();
  }

  private void requireEqual(StreamConfiguration kept) {
    StreamConfiguration asked = wanted();
    List<String> differences = new ArrayList<>();
    compare("subjects", kept.getSubjects(), asked.getSubjects(), differences);
    compare("retentionPolicy", kept.getRetentionPolicy(), asked.getRetentionPolicy(), differences);
    compare("discard", kept.getDiscardPolicy(), asked.getDiscardPolicy(), differences);
    compare("maxAge", kept.getMaxAge(), asked.getMaxAge(), differences);
    compare("maxEntries", kept.getMaxMsgs(), asked.getMaxMsgs(), differences);
    compare("maxBytes", kept.getMaxBytes(), asked.getMaxBytes(), differences);
    compare("dedupeWindow", kept.getDuplicateWindow(), asked.getDuplicateWindow(), differences);
    if (!differences.isEmpty()) {
      throw new DurableLogException(
          Reason.OTHER_CONFIGURATION,
          "stream is kept otherwise than asked: stream="
              + config.stream()
              + ", "
              + String.join(", ", differences));
    }
  }

  private static void compare(String name, Object kept, Object asked, List<String> differences) {
    if (!kept.equals(asked)) {
      differences.add(name + "=" + kept + " (asked " + asked + ")");
    }
  }
}
