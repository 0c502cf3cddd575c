// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.nats;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The stream and the bucket of one component's durable mode, by the names that Dynamo gave them
 * when it had one.
 */
public final class DurableStreamConfig {
  private final String namespace;
  private final String component;
  private final Duration retention;
  private final Duration dedupeWindow;
  private final Duration requestTimeout;
  private final long maxEntries;
  private final long maxBytes;
  private final int replicas;
  private final @Nullable Path spoolFolder;

  private DurableStreamConfig(Builder builder) {
    this.namespace = builder.namespace;
    this.component = builder.component;
    this.retention = builder.retention;
    this.dedupeWindow = builder.dedupeWindow;
    this.requestTimeout = builder.requestTimeout;
    this.maxEntries = builder.maxEntries;
    this.maxBytes = builder.maxBytes;
    this.replicas = builder.replicas;
    this.spoolFolder = builder.spoolFolder;
  }

  /** Starts describing the stream of a component. */
  public static Builder builder(String namespace, String component) {
    return new Builder(namespace, component);
  }

  /** Returns the stream's name, such as {@code namespace-dynamo-component-backend-kv-events}. */
  public String stream() {
    return name("kv-events");
  }

  /** Returns the bucket's name, such as {@code namespace-dynamo-component-backend-radix-bucket}. */
  public String bucket() {
    return name("radix-bucket");
  }

  private String name(String what) {
    String dotted = "namespace." + namespace + ".component." + component + "." + what;
    return NatsSubjects.slug(dotted).replace('_', '-');
  }

  /** Returns the subject that is published to. */
  String subject() {
    return stream() + ".queue";
  }

  public Duration retention() {
    return retention;
  }

  public Duration dedupeWindow() {
    return dedupeWindow;
  }

  public Duration requestTimeout() {
    return requestTimeout;
  }

  public long maxEntries() {
    return maxEntries;
  }

  public long maxBytes() {
    return maxBytes;
  }

  public int replicas() {
    return replicas;
  }

  /** Returns where snapshots are kept on their way, null for the system's temporary folder. */
  public @Nullable Path spoolFolder() {
    return spoolFolder;
  }

  /** Builds a {@link DurableStreamConfig}; every setting has a default. */
  public static final class Builder {
    private final String namespace;
    private final String component;
    private Duration retention = Duration.ofHours(1);
    private Duration dedupeWindow = Duration.ofMinutes(2);
    private Duration requestTimeout = Duration.ofSeconds(5);
    private long maxEntries = -1;
    private long maxBytes = 1L << 30;
    private int replicas = 1;
    private @Nullable Path spoolFolder;

    private Builder(String namespace, String component) {
      this.namespace = Objects.requireNonNull(namespace, "namespace");
      this.component = Objects.requireNonNull(component, "component");
    }

    /**
     * Reads Dynamo's {@code DYN_NATS_STREAM_MAX_AGE}, in seconds, and {@code
     * NATS_JETSTREAM_REPLICAS}.
     *
     * @throws IllegalArgumentException if one is no positive number
     */
    public Builder fromEnvironment(Map<String, String> environment) {
      String age = environment.get("DYN_NATS_STREAM_MAX_AGE");
      if (age != null && !age.isBlank()) {
        retention(Duration.ofSeconds(number("DYN_NATS_STREAM_MAX_AGE", age)));
      }
      String copies = environment.get("NATS_JETSTREAM_REPLICAS");
      if (copies != null && !copies.isBlank()) {
        replicas((int) number("NATS_JETSTREAM_REPLICAS", copies));
      }
      return this;
    }

    private static long number(String name, String text) {
      try {
        return positive(name, Integer.parseInt(text.strip()));
      } catch (NumberFormatException e) {
        throw new IllegalArgumentException(
            "variable must be a positive number: " + name + "=" + text, e);
      }
    }

    /** Sets after which entries leave the stream; 3,600 seconds by default. */
    public Builder retention(Duration time) {
      this.retention = positive("retention", time);
      return this;
    }

    /** Sets how long the server knows message ids; two minutes by default. */
    public Builder dedupeWindow(Duration time) {
      this.dedupeWindow = positive("dedupeWindow", time);
      return this;
    }

    /** Sets how long an answer of the server is waited for; five seconds by default. */
    public Builder requestTimeout(Duration time) {
      this.requestTimeout = positive("requestTimeout", time);
      return this;
    }

    /** Sets beyond how many entries the stream refuses more; unlimited by default. */
    public Builder maxEntries(long entries) {
      this.maxEntries = positive("maxEntries", entries);
      return this;
    }

    /** Sets beyond how many bytes the stream refuses more; 1 GiB by default. */
    public Builder maxBytes(long bytes) {
      this.maxBytes = positive("maxBytes", bytes);
      return this;
    }

    /** Sets how many servers keep the stream; one by default. */
    public Builder replicas(int copies) {
      this.replicas = (int) positive("replicas", copies);
      return this;
    }

    /** Sets where snapshots are kept on their way to and from the server. */
    public Builder spoolFolder(Path folder) {
      this.spoolFolder = Objects.requireNonNull(folder, "folder");
      return this;
    }

    private static long positive(String name, long value) {
      if (value < 1) {
        throw new IllegalArgumentException(name + " must be positive: " + name + "=" + value);
      }
      return value;
    }

    private static Duration positive(String name, Duration value) {
      if (value.isNegative() || value.isZero()) {
        throw new IllegalArgumentException(name + " must be positive: " + name + "=" + value);
      }
      return value;
    }

    public DurableStreamConfig build() {
      if (dedupeWindow.compareTo(retention) > 0) {
        dedupeWindow = retention;
      }
      return new DurableStreamConfig(this);
    }
  }
}
