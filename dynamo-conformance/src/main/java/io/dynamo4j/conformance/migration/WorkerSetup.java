// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.migration;

import com.fasterxml.jackson.databind.JsonNode;
import io.dynamo4j.conformance.Fields;
import io.dynamo4j.conformance.MalformedCaseException;
import io.dynamo4j.core.model.ErrorType;
import java.util.Iterator;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One worker of a case.
 *
 * @param refusal what it raises before its stream opens, or null
 * @param prefill whether it serves the prefill of others
 * @param requestLimit how many requests it runs at once, or 0 for any number
 * @param queueLimit how many wait beyond that
 * @param parses whether the gateway parses its text, so that the client sees other text
 */
record WorkerSetup(
    String name,
    @Nullable ErrorType refusal,
    boolean prefill,
    int requestLimit,
    int queueLimit,
    boolean parses) {
  private static final Set<String> KEYS =
      Set.of(
          "name",
          "graceful",
          "sync_raise",
          "tool_call_parser",
          "reasoning_parser",
          "worker_type",
          "component",
          "needs",
          "env");
  private static final String REQUEST_LIMIT = "DYN_ENGINE_REQUEST_LIMIT";
  private static final String QUEUE_LIMIT = "DYN_DYNAMO_REQUEST_QUEUE_LIMIT";

  /** Variables about how long a worker that was told to end serves on; streams always drain. */
  private static final Set<String> WITHOUT_EFFECT =
      Set.of(
          "DYN_GRACEFUL_SHUTDOWN_GRACE_PERIOD_SECS",
          "DYN_RUNTIME_GRACEFUL_SHUTDOWN_TIMEOUT_SECS",
          "RUST_BACKTRACE",
          "DYN_LOG");

  static WorkerSetup of(JsonNode worker) {
    refuseUnknown(worker, KEYS);
    JsonNode env = worker.path("env");
    for (Iterator<String> names = env.fieldNames(); names.hasNext(); ) {
      String name = names.next();
      if (!name.equals(REQUEST_LIMIT)
          && !name.equals(QUEUE_LIMIT)
          && !WITHOUT_EFFECT.contains(name)) {
        throw new MalformedCaseException("variable is unknown: name=" + name);
      }
    }
    String raised = Fields.textOrEmpty(worker, "sync_raise");
    return new WorkerSetup(
        Fields.text(worker, "name"),
        raised.isEmpty() ? null : ScriptParser.refusal(raised),
        isPrefill(Fields.textOrEmpty(worker, "worker_type")),
        env.path(REQUEST_LIMIT).asInt(0),
        env.path(QUEUE_LIMIT).asInt(16),
        worker.has("tool_call_parser") || worker.has("reasoning_parser"));
  }

  /** A worker like the others that came later. */
  static WorkerSetup spawned(String name) {
    return new WorkerSetup(name, null, false, 0, 16, false);
  }

  private static boolean isPrefill(String type) {
    return switch (type) {
      case "Prefill" -> true;
      case "", "Aggregated", "Decode" -> false;
      default -> throw new MalformedCaseException("worker type is unknown: type=" + type);
    };
  }

  static void refuseUnknown(JsonNode node, Set<String> known) {
    for (Iterator<String> names = node.fieldNames(); names.hasNext(); ) {
      String name = names.next();
      if (!known.contains(name)) {
        throw new MalformedCaseException("field is unknown: name=" + name);
      }
    }
  }
}
