// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.plane;

import com.fasterxml.jackson.databind.JsonNode;
import io.dynamo4j.conformance.CaseReader;
import io.dynamo4j.conformance.Fields;
import io.dynamo4j.conformance.Replay;
import io.dynamo4j.wire.RequestControl;
import io.dynamo4j.wire.TwoPartFrame;
import java.util.HexFormat;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * A call over the NATS request plane: subject, headers and message to their meaning and back, the
 * acknowledgement, then each frame of the answer, which comes home over TCP.
 */
public final class NatsRequestReader implements CaseReader {
  private static final Pattern SUBJECT = Pattern.compile("[a-z0-9_-]+\\.(.+)-[0-9a-f]{1,16}");
  private static final Pattern INBOX = Pattern.compile("_INBOX\\.\\w{22}\\.\\w{22}");
  private static final String QUERY = "worker_kv_query_source_";

  @Override
  public String name() {
    return "nats-request";
  }

  @Override
  public boolean reads(JsonNode content) {
    return content.has("subject")
        && content.has("reply")
        && content.has("header_text")
        && content.has("hex");
  }

  @Override
  public Replay replay(JsonNode content) {
    Replay replay = Replay.create();
    byte[] message = HexFormat.of().parseHex(Fields.text(content, "hex"));
    TwoPartFrame parts = TwoPartFrame.decode(message);
    RequestControl control = RequestControl.decode(parts.header());
    EventPlaneReader.same("control", parts.header(), control.encode(), replay);
    EventPlaneReader.same(
        "message", message, TwoPartFrame.encode(control.encode(), parts.body()), replay);
    RequestFlowReader.compareParts(content, parts.header(), parts.body(), control.format(), replay);
    names(content, control, replay);
    answered(content, parts.body(), control, replay);
    return replay;
  }

  private static void names(JsonNode content, RequestControl control, Replay replay) {
    JsonNode headers = Fields.required(content, "headers");
    Set<String> names = new TreeSet<>();
    headers.fieldNames().forEachRemaining(names::add);
    replay.same("headers", "[request-id, x-frontend-send-ts-ns]", names.toString());
    replay.same("request id", Fields.text(headers, "request-id"), control.requestId());
    String subject = Fields.text(content, "subject");
    replay.same("subject is an instance's", true, SUBJECT.matcher(subject).matches());
    replay.same("inbox", true, INBOX.matcher(Fields.text(content, "reply")).matches());
    if (content.has("reply_message")) {
      JsonNode reply = content.get("reply_message");
      replay.same("replied to", Fields.text(content, "reply"), Fields.text(reply, "subject"));
      replay.same("acknowledgement", "", Fields.text(reply, "hex"));
      replay.same("headers of the reply", true, reply.path("headers").isNull());
    }
  }

  private static void answered(
      JsonNode content, byte[] body, RequestControl control, Replay replay) {
    String subject = Fields.text(content, "subject");
    String endpoint = subject.substring(subject.indexOf('.') + 1);
    JsonNode frames = content.path("response").path("frames");
    if (endpoint.startsWith(QUERY)) {
      RecoveryReader.compare(Fields.required(content, "body"), body, frames, false, replay);
      return;
    }
    RequestFlowReader.Kind kind = RequestFlowReader.Kind.of(endpoint);
    if (kind == RequestFlowReader.Kind.GENERATE) {
      RequestFlowReader.compareBody(Fields.required(content, "body"), body, control, replay);
    }
    if (kind == RequestFlowReader.Kind.INDEX) {
      byte[] msgpack = control.format().toMsgpack(body);
      IndexFlow.compareQuery(Fields.required(content, "body"), msgpack, frames, replay);
    }
    RequestFlowReader.answer(frames, control, kind, replay);
  }
}
