// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.plane;

import com.fasterxml.jackson.databind.JsonNode;
import io.dynamo4j.conformance.CaseReader;
import io.dynamo4j.conformance.Fields;
import io.dynamo4j.conformance.MalformedCaseException;
import io.dynamo4j.conformance.NotOursRule;
import io.dynamo4j.conformance.Replay;
import io.dynamo4j.plane.EventEnvelope;
import io.dynamo4j.wire.EventEnvelopeCodec;
import io.dynamo4j.wire.RequestControl;
import io.dynamo4j.wire.TwoPartFrame;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.regex.Pattern;

/**
 * Commands between clients and a NATS server, as bytes: published events and sent requests are read
 * and written back, under the names that this library gives them.
 */
public final class NatsCommandReader implements CaseReader {
  /** Commands that carry nothing of this library's: sessions, subscriptions, bare replies. */
  public static final NotOursRule OF_THE_CLIENT =
      new NotOursRule(
          "nats-client-command", content -> isCommand(content) && !carriesMessage(content));

  private static final Pattern EVENT =
      Pattern.compile("namespace\\.[^.]+(\\.component\\.[^.]+(\\.endpoint\\.[^.]+)?)?\\.[^.]+");
  private static final Pattern REQUEST = Pattern.compile("[a-z0-9_-]+\\.\\S+-[0-9a-f]{1,16}");

  @Override
  public String name() {
    return "nats-command";
  }

  @Override
  public boolean reads(JsonNode content) {
    return isCommand(content) && carriesMessage(content);
  }

  private static boolean isCommand(JsonNode content) {
    return content.has("command") && content.has("hex") && !content.has("subject");
  }

  private static boolean carriesMessage(JsonNode content) {
    String[] words = words(content);
    boolean publishes = words[0].endsWith("PUB") || words[0].endsWith("MSG");
    return publishes && (EVENT.matcher(words[1]).matches() || REQUEST.matcher(words[1]).matches());
  }

  private static String[] words(JsonNode content) {
    return content.path("command").asText().split("[ \n\r]+", -1);
  }

  @Override
  public Replay replay(JsonNode content) {
    Replay replay = Replay.create();
    String[] words = words(content);
    byte[] payload = payload(content, words);
    if (EVENT.matcher(words[1]).matches()) {
      EventEnvelope envelope = EventEnvelopeCodec.decode(payload);
      EventPlaneReader.same("event", payload, EventEnvelopeCodec.encode(envelope), replay);
      replay.same("subject ends with topic", true, words[1].endsWith("." + envelope.topic()));
    } else {
      TwoPartFrame parts = TwoPartFrame.decode(payload);
      RequestControl control = RequestControl.decode(parts.header());
      EventPlaneReader.same("control", parts.header(), control.encode(), replay);
      EventPlaneReader.same(
          "request", payload, TwoPartFrame.encode(control.encode(), parts.body()), replay);
    }
    return replay;
  }

  /** Returns what follows the command's line, without the headers of those that have some. */
  private static byte[] payload(JsonNode content, String[] words) {
    byte[] bytes = HexFormat.of().parseHex(Fields.text(content, "hex"));
    int line = 0;
    while (line < bytes.length && bytes[line] != '\n') {
      line++;
    }
    String[] own = new String(bytes, 0, line, StandardCharsets.UTF_8).strip().split(" +", -1);
    boolean hasHeaders = words[0].startsWith("H");
    int total = Integer.parseInt(own[own.length - 1]);
    int headers = hasHeaders ? Integer.parseInt(own[own.length - 2]) : 0;
    int from = line + 1 + headers;
    int to = line + 1 + total;
    if (to > bytes.length || from > to) {
      throw new MalformedCaseException("command is cut: command=" + String.join(" ", own));
    }
    return Arrays.copyOfRange(bytes, from, to);
  }
}
