// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.wire;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import java.util.Objects;

/**
 * A failure in a worker's words.
 *
 * <p>Its reason decides the type; where that is not known, its class does, as raised by a worker.
 *
 * @param type what it means here
 * @param message the worker's text; a stranger's
 */
public record PeerError(ErrorType type, String message) {
  private static final int MAX_MESSAGE_CHARS = 4_096;
  private static final int MAX_LOGGED_CHARS = 200;
  private static final String INVALID_ARGUMENT = "request.invalid_argument";
  private static final WireNames KEYS =
      WireNames.of("error_type", "class", "reason", "message", "diagnostic");

  public PeerError {
    Objects.requireNonNull(type, "type");
    Objects.requireNonNull(message, "message");
  }

  /** Returns the message, short enough and free of control characters: fit for a log. */
  public String safeMessage() {
    return safe(message);
  }

  /** Returns a stranger's text, short enough and free of control characters: fit for a log. */
  public static String safe(String text) {
    StringBuilder safe = new StringBuilder();
    text.chars()
        .limit(MAX_LOGGED_CHARS)
        .forEach(c -> safe.append(Character.isISOControl(c) ? '\ufffd' : (char) c));
    return safe.toString();
  }

  static String messageOf(DynamoException error) {
    String message = error.getMessage();
    String text = message == null ? error.errorType().reason() : message;
    return text.length() > MAX_MESSAGE_CHARS ? text.substring(0, MAX_MESSAGE_CHARS) : text;
  }

  static void write(DynamoException error, MsgpackWriter out) {
    String message = messageOf(error);
    out.map(6).string("error_type").string(nameOf(error.errorType()));
    out.string("class").string(classOf(error.errorType()));
    out.string("reason").string(reasonOf(error.errorType()));
    out.string("message").string(message).string("diagnostic").string(message);
    out.string("public").map(2).string("type").string("message");
    out.string("message").string(message);
  }

  static PeerError read(MsgpackReader in) {
    String name = "";
    String reason = "";
    String message = "";
    int entries = in.readMapHeader();
    for (int i = 0; i < entries; i++) {
      switch (in.readName(KEYS)) {
        case "error_type" -> name = readText(in, name);
        case "reason" -> reason = readText(in, reason);
        case "message" -> message = readText(in, message);
        default -> in.skip();
      }
    }
    return new PeerError(typeOf(reason, name), message);
  }

  private static String readText(MsgpackReader in, String otherwise) {
    if (in.nextKind() == MsgpackReader.Kind.STRING) {
      return in.readString();
    }
    in.skip();
    return otherwise;
  }

  private static String reasonOf(ErrorType type) {
    return type == ErrorType.INVALID_REQUEST ? INVALID_ARGUMENT : type.reason();
  }

  private static ErrorType typeOf(String reason, String name) {
    if (reason.equals(INVALID_ARGUMENT)) {
      return ErrorType.INVALID_REQUEST;
    }
    for (ErrorType type : ErrorType.values()) {
      if (type.reason().equals(reason)) {
        return type;
      }
    }
    return switch (name) {
      case "CannotConnect" -> ErrorType.BACKEND_CANNOT_CONNECT;
      case "Disconnected" -> ErrorType.BACKEND_DISCONNECTED;
      case "ConnectionTimeout" -> ErrorType.BACKEND_CONNECTION_TIMEOUT;
      case "EngineShutdown" -> ErrorType.ENGINE_SHUTDOWN;
      case "StreamIncomplete" -> ErrorType.STREAM_INCOMPLETE;
      case "WorkerUnavailable" -> ErrorType.WORKER_UNAVAILABLE;
      case "Cancelled" -> ErrorType.BACKEND_CANCELLED;
      case "InvalidArgument" -> ErrorType.BACKEND_INVALID_ARGUMENT;
      default -> ErrorType.BACKEND_UNKNOWN;
    };
  }

  /** Names that the peer knows; what it does not know is unknown to it. */
  private static String nameOf(ErrorType type) {
    return switch (type) {
      case CANNOT_CONNECT, BACKEND_CANNOT_CONNECT -> "CannotConnect";
      case DISCONNECTED, BACKEND_DISCONNECTED -> "Disconnected";
      case CONNECTION_TIMEOUT, BACKEND_CONNECTION_TIMEOUT -> "ConnectionTimeout";
      case ENGINE_SHUTDOWN -> "EngineShutdown";
      case STREAM_INCOMPLETE -> "StreamIncomplete";
      case WORKER_UNAVAILABLE -> "WorkerUnavailable";
      case CANCELLED, BACKEND_CANCELLED -> "Cancelled";
      case INVALID_REQUEST, BACKEND_INVALID_ARGUMENT -> "InvalidArgument";
      default -> "Unknown";
    };
  }

  private static String classOf(ErrorType type) {
    return type == ErrorType.INVALID_REQUEST || type == ErrorType.BACKEND_INVALID_ARGUMENT
        ? "InvalidRequest"
        : "Internal";
  }
}
