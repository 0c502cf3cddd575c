// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.wire;

import io.dynamo4j.wire.WireFormatException.Reason;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The control part of a request: its id, how the body is written, and where the answer goes.
 *
 * @param requestId the id that all attempts share
 * @param format how body and answer are written
 * @param address where the caller listens, {@code ip:port}
 * @param subject which of the caller's pending answers this is
 */
public record RequestControl(
    String requestId, PayloadFormat format, String address, String subject) {
  private static final String TCP_SERVER = "tcp_server";
  private static final WireNames KEYS = WireNames.of("id", "payload_codec", "connection_info");
  private static final WireNames CONNECTION_KEYS = WireNames.of("transport", "info");
  private static final WireNames INFO_KEYS =
      WireNames.of("address", "subject", "context", "stream_type");

  public RequestControl {
    Objects.requireNonNull(requestId, "requestId");
    Objects.requireNonNull(format, "format");
    Objects.requireNonNull(address, "address");
    Objects.requireNonNull(subject, "subject");
  }

  /** Returns the record as JSON, fields and order as the peer's. */
  public byte[] encode() {
    byte[] info =
        JsonValues.toJson(
            MsgpackWriter.ofExpectedSize(256)
                .map(4)
                .string("address")
                .string(address)
                .string("subject")
                .string(subject)
                .string("context")
                .string(requestId)
                .string("stream_type")
                .string("response")
                .toByteArray());
    MsgpackWriter out = MsgpackWriter.ofExpectedSize(512).map(5);
    out.string("id").string(requestId).string("request_type").string("single_in");
    out.string("response_type").string("many_out");
    out.string("payload_codec").string(format.wireName());
    out.string("connection_info").map(2).string("transport").string(TCP_SERVER);
    out.string("info").string(new String(info, StandardCharsets.UTF_8));
    return JsonValues.toJson(out.toByteArray());
  }

  /**
   * Reads a control part.
   *
   * @throws WireFormatException if it is no JSON, lacks a field, or names a codec or transport that
   *     is not known
   */
  public static RequestControl decode(byte[] json) {
    MsgpackReader in = MsgpackReader.of(JsonValues.toMsgpack(json));
    String id = null;
    PayloadFormat format = PayloadFormat.JSON;
    byte[] info = null;
    int entries = in.readMapHeader();
    for (int i = 0; i < entries; i++) {
      switch (in.readName(KEYS)) {
        case "id" -> id = in.readString();
        case "payload_codec" -> format = readFormat(in);
        case "connection_info" -> info = readConnection(in);
        default -> in.skip();
      }
    }
    if (id == null || info == null) {
      throw in.fault(Reason.MALFORMED, "request without id or connection");
    }
    return readInfo(MsgpackReader.of(JsonValues.toMsgpack(info)), id, format);
  }

  private static PayloadFormat readFormat(MsgpackReader in) {
    if (in.tryNil()) {
      return PayloadFormat.JSON;
    }
    try {
      return PayloadFormat.of(in.readString());
    } catch (IllegalArgumentException unknown) {
      throw in.fault(Reason.MALFORMED, "payload codec");
    }
  }

  private static byte @Nullable [] readConnection(MsgpackReader in) {
    byte[] info = null;
    int entries = in.readMapHeader();
    for (int i = 0; i < entries; i++) {
      switch (in.readName(CONNECTION_KEYS)) {
        case "transport" -> {
          if (!in.readString().equals(TCP_SERVER)) {
            throw in.fault(Reason.MALFORMED, "transport of the answer");
          }
        }
        case "info" -> info = in.readString().getBytes(StandardCharsets.UTF_8);
        default -> in.skip();
      }
    }
    return info;
  }

  private static RequestControl readInfo(MsgpackReader in, String id, PayloadFormat format) {
    String address = null;
    String subject = null;
    int entries = in.readMapHeader();
    for (int i = 0; i < entries; i++) {
      switch (in.readName(INFO_KEYS)) {
        case "address" -> address = in.readString();
        case "subject" -> subject = in.readString();
        case "context" -> requireText(in, id, "context");
        case "stream_type" -> requireText(in, "response", "stream type");
        default -> in.skip();
      }
    }
    if (address == null || subject == null) {
      throw in.fault(Reason.MALFORMED, "connection without address or subject");
    }
    return new RequestControl(id, format, address, subject);
  }

  private static void requireText(MsgpackReader in, String expected, String what) {
    if (!in.readString().equals(expected)) {
      throw in.fault(Reason.MALFORMED, what);
    }
  }
}
