// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.wire.WireFormatException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ConcurrentSkipListMap;

/**
 * Dynamo's {@code /busy_threshold}: reads, sets and takes away the busy thresholds of a model while
 * requests run. A host mounts it at a path of its HTTP server:
 *
 * <pre>{@code
 * BusyThresholdHandler handler = BusyThresholdHandler.create();
 * handler.register("model", monitor);
 * BusyThresholdHandler.Reply reply = handler.handle("POST", "application/json", body);
 * }</pre>
 *
 * <p>{@code GET} lists every model. {@code POST} with a model alone reads it, with fields sets
 * those; as beyond Dynamo, {@code null} takes a threshold away. Whoever may reach it may stop all
 * traffic of a model: it belongs where operators are, not callers.
 *
 * <p><b>Threads.</b> Any.
 */
public final class BusyThresholdHandler {
  /** Bytes of a body that are read at most. */
  public static final int MAX_BODY_BYTES = 65_536;

  private final ConcurrentSkipListMap<String, LoadMonitor> monitors = new ConcurrentSkipListMap<>();

  private BusyThresholdHandler() {}

  /**
   * An HTTP answer.
   *
   * @param status 200, 400, 404, 405, 413, 415 or 422
   * @param json body of type {@code application/json}
   */
  public record Reply(int status, String json) {}

  /** Returns a handler that knows no model. */
  public static BusyThresholdHandler create() {
    return new BusyThresholdHandler();
  }

  /** Adds a model, or replaces its monitor. */
  public void register(String model, LoadMonitor monitor) {
    monitors.put(
        Objects.requireNonNull(model, "model"), Objects.requireNonNull(monitor, "monitor"));
  }

  /** Takes a model off. */
  public void unregister(String model) {
    monitors.remove(model);
  }

  /**
   * Answers one request.
   *
   * @param contentType value of the header, empty if absent
   */
  public Reply handle(String method, String contentType, byte[] body) {
    if (method.equals("GET")) {
      return new Reply(200, list());
    }
    if (!method.equals("POST")) {
      return error(405, "method is not allowed: method=" + method);
    }
    if (!isJson(contentType)) {
      return error(415, "content type must be application/json");
    }
    if (body.length > MAX_BODY_BYTES) {
      return error(413, "body is too large: bytes=" + body.length);
    }
    try {
      return post(BusyThresholdJson.parse(body));
    } catch (BusyThresholdJson.WrongShapeException wrongShape) {
      return error(422, String.valueOf(wrongShape.getMessage()));
    } catch (WireFormatException noJson) {
      return error(400, "body is no JSON: " + noJson.getMessage());
    } catch (IllegalArgumentException outOfRange) {
      return error(400, String.valueOf(outOfRange.getMessage()));
    }
  }

  private static boolean isJson(String contentType) {
    int parameters = contentType.indexOf(';');
    String type = parameters < 0 ? contentType : contentType.substring(0, parameters);
    return type.strip().equalsIgnoreCase("application/json");
  }

  private Reply post(BusyThresholdJson request) {
    LoadMonitor monitor = monitors.get(request.model());
    if (!request.sets()) {
      LoadThresholds now = monitor == null ? LoadThresholds.none() : monitor.thresholds();
      return new Reply(200, BusyThresholdJson.describe(request.model(), now));
    }
    if (monitor == null) {
      return error(404, "model has no load monitor: model=" + request.model());
    }
    LoadThresholds changed = monitor.changeThresholds(request::applyTo);
    return new Reply(200, BusyThresholdJson.describe(request.model(), changed));
  }

  private String list() {
    List<String> models = new ArrayList<>();
    monitors.forEach(
        (model, monitor) -> models.add(BusyThresholdJson.describe(model, monitor.thresholds())));
    return "{\"thresholds\":[" + String.join(",", models) + "]}";
  }

  private static Reply error(int status, String text) {
    return new Reply(status, BusyThresholdJson.error(text));
  }
}
