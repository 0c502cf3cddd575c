// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.migration;

import com.fasterxml.jackson.databind.JsonNode;
import io.dynamo4j.conformance.MalformedCaseException;
import io.dynamo4j.migration.MigrationOptions;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** How the gateway of a case was set up. Flags and variables that are not known are refused. */
final class CaseSetup {
  private static final Set<String> VALUE_FLAGS =
      Set.of(
          "--migration-limit",
          "--migration-max-seq-len",
          "--router-mode",
          "--kv-cache-block-size",
          "--router-session-affinity-ttl-secs",
          "--router-session-affinity-mode");

  /** Flags that change nothing about migration. */
  private static final Set<String> SWITCHES =
      Set.of("--no-router-kv-events", "--no-kv-events", "--enable-anthropic-api");

  private static final String STREAM_TIMEOUT = "DYN_HTTP_BACKEND_STREAM_TIMEOUT_SECS";
  private static final String INHIBITION = "DYN_RUNTIME_INHIBITED_DURATION_SECS";

  /** Variables about HTTP status and logging alone. */
  private static final Set<String> WITHOUT_EFFECT =
      Set.of(
          "DYN_HTTP_PRE_COMMIT_ERROR_PEEK_MS", "RUST_BACKTRACE", "RUST_LIB_BACKTRACE", "DYN_LOG");

  /** How requests find workers. */
  enum Mode {
    ROUND_ROBIN,
    RANDOM,
    LEAST_LOADED,
    KV
  }

  private final Map<String, String> flags = new TreeMap<>();
  private final Map<String, String> variables = new LinkedHashMap<>();

  private CaseSetup(JsonNode frontend) {
    readFlags(frontend.path("flags"));
    frontend
        .path("env")
        .fields()
        .forEachRemaining(each -> variables.put(each.getKey(), each.getValue().asText()));
    for (String name : variables.keySet()) {
      if (!name.equals(STREAM_TIMEOUT)
          && !name.equals(INHIBITION)
          && !WITHOUT_EFFECT.contains(name)) {
        throw new MalformedCaseException("variable is unknown: name=" + name);
      }
    }
  }

  static CaseSetup of(JsonNode frontend) {
    return new CaseSetup(frontend);
  }

  private void readFlags(JsonNode list) {
    for (int i = 0; i < list.size(); i++) {
      String flag = list.get(i).asText();
      int equals = flag.indexOf('=');
      String name = equals < 0 ? flag : flag.substring(0, equals);
      if (VALUE_FLAGS.contains(name)) {
        flags.put(name, equals < 0 ? list.path(++i).asText() : flag.substring(equals + 1));
      } else if (!SWITCHES.contains(name)) {
        throw new MalformedCaseException("flag is unknown: flag=" + flag);
      }
    }
  }

  MigrationOptions options() {
    MigrationOptions.Builder options = MigrationOptions.builder();
    options.limit(number("--migration-limit", 0));
    if (flags.containsKey("--migration-max-seq-len")) {
      options.maxSeqLen(number("--migration-max-seq-len", 0));
    }
    return options.stallTimeout(Duration.ofNanos(stallTimeoutNanos())).build();
  }

  /** Returns how long a worker may bring no token, or 0. */
  long stallTimeoutNanos() {
    return nanos(variables.get(STREAM_TIMEOUT), 0);
  }

  /** Returns how long a failed worker is left out. */
  long inhibitionNanos() {
    return nanos(variables.get(INHIBITION), 5_000_000_000L);
  }

  private static long nanos(@Nullable String seconds, long otherwise) {
    try {
      return seconds == null ? otherwise : (long) (Double.parseDouble(seconds) * 1e9);
    } catch (NumberFormatException e) {
      throw new MalformedCaseException("variable is no number: value=" + seconds, e);
    }
  }

  Mode mode() {
    String name = flags.getOrDefault("--router-mode", "round-robin");
    return switch (name) {
      case "round-robin" -> Mode.ROUND_ROBIN;
      case "random" -> Mode.RANDOM;
      case "least-loaded" -> Mode.LEAST_LOADED;
      case "kv" -> Mode.KV;
      default -> throw new MalformedCaseException("router mode is unknown: mode=" + name);
    };
  }

  int blockSize() {
    return (int) number("--kv-cache-block-size", 16);
  }

  /** Returns whether requests of one session go to one worker. */
  boolean hasAffinity() {
    return flags.containsKey("--router-session-affinity-ttl-secs");
  }

  /** Returns whether a session may leave its worker. */
  boolean hasSoftAffinity() {
    return flags.getOrDefault("--router-session-affinity-mode", "hard").equals("soft");
  }

  private long number(String flag, long otherwise) {
    try {
      return Long.parseLong(flags.getOrDefault(flag, String.valueOf(otherwise)));
    } catch (NumberFormatException e) {
      throw new MalformedCaseException("flag is no number: flag=" + flag, e);
    }
  }
}
