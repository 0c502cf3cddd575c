// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.wire;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * What {@code --kv-events-config} tells an engine, with the engine's own defaults.
 *
 * <p>vLLM publishes if {@code enable_kv_cache_events} is true, SGLang if {@code publisher} is
 * {@code zmq}. A configuration counts as enabled if it has either and contradicts neither.
 */
public final class KvEventsConfig {
  private static final WireNames KEYS =
      WireNames.of(
          "enable_kv_cache_events",
          "publisher",
          "endpoint",
          "replay_endpoint",
          "buffer_steps",
          "hwm",
          "topic",
          "bind");

  private @Nullable Boolean enabled;
  private @Nullable String publisher;
  private String endpoint = "tcp://*:5557";
  private @Nullable String replayEndpoint;
  private String topic = "";
  private long bufferSteps = 10_000;
  private long highWater = 100_000;
  private @Nullable Boolean bind;

  private KvEventsConfig() {}

  /**
   * Reads the JSON given to an engine; unknown keys are passed over.
   *
   * @throws IllegalArgumentException if it is no JSON object or a known key has a value of another
   *     type
   */
  public static KvEventsConfig parse(String json) {
    KvEventsConfig config = new KvEventsConfig();
    try {
      config.read(MsgpackReader.of(JsonValues.toMsgpack(json.getBytes(StandardCharsets.UTF_8))));
    } catch (WireFormatException e) {
      throw new IllegalArgumentException("cannot read kv-events-config: json=" + json, e);
    }
    return config;
  }

  private void read(MsgpackReader in) {
    int entries = in.readMapHeader();
    for (int i = 0; i < entries; i++) {
      String key = in.readName(KEYS);
      if (in.tryNil()) {
        continue;
      }
      switch (key) {
        case "enable_kv_cache_events" -> enabled = in.readBoolean();
        case "publisher" -> publisher = in.readString();
        case "endpoint" -> endpoint = in.readString();
        case "replay_endpoint" -> replayEndpoint = in.readString();
        case "topic" -> topic = in.readString();
        case "buffer_steps" -> bufferSteps = in.readBits64();
        case "hwm" -> highWater = in.readBits64();
        case "bind" -> bind = in.readBoolean();
        default -> in.skip();
      }
    }
  }

  /** Returns why an engine with this configuration publishes nothing, null if it does publish. */
  public @Nullable String disabledBecause() {
    if (Boolean.FALSE.equals(enabled)) {
      return "enable_kv_cache_events is false";
    }
    if (publisher == null) {
      return enabled == null ? "neither enable_kv_cache_events nor publisher is set" : null;
    }
    return publisher.equals("zmq") ? null : "publisher is " + publisher;
  }

  /** Returns where the engine publishes, rank 0. */
  public String endpoint() {
    return endpoint;
  }

  /** Returns where the engine answers requests for past batches, null if it does not. */
  public @Nullable String replayEndpoint() {
    return replayEndpoint;
  }

  /** Returns the topic of every message, empty by default. */
  public String topic() {
    return topic;
  }

  /** Returns how many batches the engine keeps for replay. */
  public long bufferSteps() {
    return bufferSteps;
  }

  /** Returns how many batches the engine queues for one subscriber. */
  public long highWater() {
    return highWater;
  }

  /**
   * Returns whether the engine binds its endpoint, so that subscribers connect: as it says, else if
   * the address has a wildcard or is one of the host's own kinds.
   */
  public boolean engineBinds() {
    if (bind != null) {
      return bind;
    }
    return endpoint.contains("*")
        || endpoint.contains("::")
        || endpoint.contains("0.0.0.0")
        || endpoint.startsWith("ipc://")
        || endpoint.startsWith("inproc://");
  }
}
