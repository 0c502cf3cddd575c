// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.wire;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.wire.WireFormatException.Reason;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Headers of the answer's connection, all JSON: the handshake and the prologue before the items,
 * and single words.
 *
 * <p><b>Threads.</b> Stateless.
 */
public final class ResponseControl {
  /** The worker's word after its final item. */
  public static final String SENTINEL = "sentinel";

  /** The caller's word for an answer that nobody listens to any more. */
  public static final String KILL = "kill";

  /** The caller's word for an answer that may end early. */
  public static final String STOP = "stop";

  private static final WireNames HANDSHAKE_KEYS = WireNames.of("subject", "stream_type");
  private static final WireNames PROLOGUE_KEYS = WireNames.of("error", "typed_error");

  private ResponseControl() {}

  /** Returns a word as JSON. */
  public static byte[] word(String word) {
    return ("\"" + word + "\"").getBytes(StandardCharsets.UTF_8);
  }

  /**
   * Returns the word of a header.
   *
   * @throws WireFormatException if it is none
   */
  public static String readWord(byte[] json) {
    return MsgpackReader.of(JsonValues.toMsgpack(json)).readString();
  }

  /** Returns the first header of an answer. */
  public static byte[] handshake(String subject) {
    return JsonValues.toJson(
        MsgpackWriter.ofExpectedSize(80)
            .map(2)
            .string("subject")
            .string(subject)
            .string("stream_type")
            .string("response")
            .toByteArray());
  }

  /**
   * Returns the subject that a handshake names.
   *
   * @throws WireFormatException if it names none
   */
  public static String readHandshake(byte[] json) {
    MsgpackReader in = MsgpackReader.of(JsonValues.toMsgpack(json));
    String subject = null;
    int entries = in.readMapHeader();
    for (int i = 0; i < entries; i++) {
      switch (in.readName(HANDSHAKE_KEYS)) {
        case "subject" -> subject = in.readString();
        default -> in.skip();
      }
    }
    if (subject == null) {
      throw in.fault(Reason.MALFORMED, "handshake without subject");
    }
    return subject;
  }

  /** Returns the header that opens an answer, or refuses the request. */
  public static byte[] prologue(@Nullable DynamoException refusal) {
    MsgpackWriter out = MsgpackWriter.ofExpectedSize(64);
    if (refusal == null) {
      out.map(1).string("error").nil();
    } else {
      out.map(2).string("error").string("Generate Error: " + PeerError.messageOf(refusal));
      PeerError.write(refusal, out.string("typed_error"));
    }
    return JsonValues.toJson(out.toByteArray());
  }

  /**
   * Returns why the worker refuses, or null if it opens the answer. A refusal without a type counts
   * as a worker that cannot be connected to, as it does with the peer.
   *
   * @throws WireFormatException if it is no prologue
   */
  public static @Nullable PeerError readPrologue(byte[] json) {
    MsgpackReader in = MsgpackReader.of(JsonValues.toMsgpack(json));
    PeerError untyped = null;
    PeerError typed = null;
    int entries = in.readMapHeader();
    for (int i = 0; i < entries; i++) {
      switch (in.readName(PROLOGUE_KEYS)) {
        case "error" -> {
          if (!in.tryNil()) {
            untyped = new PeerError(ErrorType.CANNOT_CONNECT, in.readString());
          }
        }
        case "typed_error" -> {
          if (!in.tryNil()) {
            typed = PeerError.read(in);
          }
        }
        default -> in.skip();
      }
    }
    return untyped == null || typed == null ? untyped : typed;
  }
}
