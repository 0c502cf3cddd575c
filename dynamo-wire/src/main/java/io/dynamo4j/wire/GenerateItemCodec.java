// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.wire;

import io.dynamo4j.core.model.CompletionUsage;
import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.FinishReason;
import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.wire.WireFormatException.Reason;
import org.jspecify.annotations.Nullable;

/**
 * Items of an answer to {@code generate}: some tokens, an annotation or an error, in the peer's
 * wrapper.
 *
 * <p><b>Threads.</b> Stateless.
 */
public final class GenerateItemCodec {
  private static final WireNames KEYS = WireNames.of("data", "event", "comment", "error");
  private static final WireNames DATA_KEYS =
      WireNames.of(
          "token_ids",
          "text",
          "finish_reason",
          "index",
          "cum_log_probs",
          "log_probs",
          "completion_usage",
          "disaggregated_params");
  private static final WireNames USAGE_KEYS =
      WireNames.of("prompt_tokens", "completion_tokens", "prompt_tokens_details");
  private static final WireNames DETAIL_KEYS = WireNames.of("cached_tokens");
  private static final String ERROR = "error";

  private GenerateItemCodec() {}

  /* --------------- Reading --------------- */

  /**
   * Reads an item.
   *
   * @throws PeerFailureException if it is a worker's error
   * @throws WireFormatException if it cannot be read
   */
  public static LLMEngineOutput decode(byte[] bytes, int start, int end) {
    MsgpackReader in = MsgpackReader.of(bytes).slice(start, end);
    LLMEngineOutput output = null;
    String event = null;
    String comment = null;
    PeerError error = null;
    int entries = in.readMapHeader();
    for (int i = 0; i < entries; i++) {
      switch (in.readName(KEYS)) {
        case "data" -> output = in.tryNil() ? null : readData(in);
        case "event" -> event = in.tryNil() ? null : in.readString();
        case "comment" -> comment = in.tryNil() ? null : readComment(in);
        case ERROR -> error = in.tryNil() ? null : PeerError.read(in);
        default -> in.skip();
      }
    }
    if (error != null || ERROR.equals(event)) {
      throw PeerFailureException.of(
          error == null
              ? new PeerError(ErrorType.BACKEND_UNKNOWN, comment == null ? "" : comment)
              : error);
    }
    return annotated(output, event, comment, in);
  }

  private static LLMEngineOutput annotated(
      @Nullable LLMEngineOutput output,
      @Nullable String event,
      @Nullable String comment,
      MsgpackReader in) {
    if (event != null) {
      LLMEngineOutput item = output == null ? LLMEngineOutput.of(TokenSlice.empty()) : output;
      return item.withAnnotation(event, comment == null ? "" : comment);
    }
    if (output == null) {
      throw in.fault(Reason.MALFORMED, "item without data");
    }
    return output;
  }

  private static String readComment(MsgpackReader in) {
    int parts = in.readArrayHeader();
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < parts; i++) {
      text.append(i == 0 ? "" : "\n").append(in.readString());
    }
    return text.toString();
  }

  private static LLMEngineOutput readData(MsgpackReader in) {
    TokenSlice tokens = null;
    String text = null;
    FinishReason reason = null;
    int index = 0;
    double cumulative = Double.NaN;
    double[] logProbs = null;
    CompletionUsage usage = null;
    Object handedOver = null;
    int entries = in.readMapHeader();
    for (int i = 0; i < entries; i++) {
      switch (in.readName(DATA_KEYS)) {
        case "token_ids" -> tokens = MsgpackValues.readTokens(in);
        case "text" -> text = in.tryNil() ? null : in.readString();
        case "finish_reason" -> reason = in.tryNil() ? null : readReason(in);
        case "index" -> index = in.tryNil() ? 0 : in.readBits32();
        case "cum_log_probs" -> cumulative = in.tryNil() ? Double.NaN : readNumber(in);
        case "log_probs" -> logProbs = in.tryNil() ? null : readNumbers(in);
        case "completion_usage" -> usage = in.tryNil() ? null : readUsage(in);
        case "disaggregated_params" -> handedOver = MsgpackValues.read(in);
        default -> in.skip();
      }
    }
    if (tokens == null) {
      throw in.fault(Reason.MALFORMED, "item without tokens");
    }
    LLMEngineOutput output =
        reason == null ? LLMEngineOutput.of(tokens) : LLMEngineOutput.last(tokens, reason);
    output = text == null ? output : output.withText(text);
    output = index == 0 ? output : output.withIndex(index);
    output = usage == null ? output : output.withUsage(usage);
    output = handedOver == null ? output : output.withDisaggregatedParams(handedOver);
    boolean fits = logProbs != null && logProbs.length == tokens.length();
    return fits || !Double.isNaN(cumulative)
        ? output.withLogProbs(cumulative, fits && logProbs != null ? logProbs : new double[0])
        : output;
  }

  private static FinishReason readReason(MsgpackReader in) {
    if (in.nextKind() == MsgpackReader.Kind.MAP) {
      in.skip();
      return FinishReason.ERROR;
    }
    String name = in.readString();
    for (FinishReason reason : FinishReason.values()) {
      if (reason.wireName().equals(name)) {
        return reason;
      }
    }
    if (name.equals("abort")) {
      return FinishReason.CANCELLED;
    }
    throw in.fault(Reason.MALFORMED, "finish reason");
  }

  private static double readNumber(MsgpackReader in) {
    return in.nextKind() == MsgpackReader.Kind.FLOAT ? in.readDouble() : in.readBits64();
  }

  private static double[] readNumbers(MsgpackReader in) {
    double[] numbers = new double[in.readArrayHeader()];
    for (int i = 0; i < numbers.length; i++) {
      numbers[i] = in.tryNil() ? Double.NaN : readNumber(in);
    }
    return numbers;
  }

  private static CompletionUsage readUsage(MsgpackReader in) {
    long prompt = 0;
    long completion = 0;
    long cached = CompletionUsage.UNKNOWN;
    int entries = in.readMapHeader();
    for (int i = 0; i < entries; i++) {
      switch (in.readName(USAGE_KEYS)) {
        case "prompt_tokens" -> prompt = Integer.toUnsignedLong(in.readBits32());
        case "completion_tokens" -> completion = Integer.toUnsignedLong(in.readBits32());
        case "prompt_tokens_details" -> cached = in.tryNil() ? cached : readCached(in);
        default -> in.skip();
      }
    }
    return new CompletionUsage(prompt, completion, cached);
  }

  private static long readCached(MsgpackReader in) {
    long cached = CompletionUsage.UNKNOWN;
    int entries = in.readMapHeader();
    for (int i = 0; i < entries; i++) {
      switch (in.readName(DETAIL_KEYS)) {
        case "cached_tokens" ->
            cached = in.tryNil() ? cached : Integer.toUnsignedLong(in.readBits32());
        default -> in.skip();
      }
    }
    return cached;
  }

  /* --------------- Writing --------------- */

  /** Returns an item as MessagePack, in the peer's wrapper. */
  public static byte[] encode(LLMEngineOutput output) {
    MsgpackWriter out = MsgpackWriter.ofExpectedSize(96 + 5 * output.tokenIds().length());
    String event = output.annotationEvent();
    out.map(event == null ? 1 : 3).string("data");
    writeData(output, out);
    if (event != null) {
      String value = output.annotationValue();
      out.string("event").string(event);
      out.string("comment").array(1).string(value == null ? "" : value);
    }
    return out.toByteArray();
  }

  private static void writeData(LLMEngineOutput output, MsgpackWriter out) {
    double[] logProbs = output.logProbs();
    boolean hasSum = !Double.isNaN(output.cumLogProbs());
    CompletionUsage usage = output.usage();
    String text = output.text();
    FinishReason reason = output.finishReason();
    Object handedOver = output.disaggregatedParams();
    int entries =
        3
            + (text == null ? 0 : 1)
            + (hasSum ? 1 : 0)
            + (logProbs.length == 0 ? 0 : 1)
            + (usage == null ? 0 : 1)
            + (handedOver == null ? 0 : 1);
    MsgpackValues.writeTokens(output.tokenIds(), out.map(entries).string("token_ids"));
    if (text != null) {
      out.string("text").string(text);
    }
    if (hasSum) {
      out.string("cum_log_probs").float64(output.cumLogProbs());
    }
    if (logProbs.length > 0) {
      out.string("log_probs").array(logProbs.length);
      for (double each : logProbs) {
        out.float64(each);
      }
    }
    writeReason(reason, out.string("finish_reason"));
    out.string("index").unsigned(output.index());
    if (usage != null) {
      writeUsage(usage, out.string("completion_usage"));
    }
    if (handedOver != null) {
      MsgpackValues.write(handedOver, out.string("disaggregated_params"));
    }
  }

  private static void writeReason(@Nullable FinishReason reason, MsgpackWriter out) {
    if (reason == null) {
      out.nil();
    } else if (reason == FinishReason.ERROR) {
      out.map(1).string(ERROR).string("engine failed");
    } else {
      out.string(reason.wireName());
    }
  }

  private static void writeUsage(CompletionUsage usage, MsgpackWriter out) {
    boolean hasCached = usage.cachedTokens() != CompletionUsage.UNKNOWN;
    out.map(hasCached ? 4 : 3).string("prompt_tokens").unsigned(usage.promptTokens());
    out.string("completion_tokens").unsigned(usage.completionTokens());
    out.string("total_tokens").unsigned(usage.totalTokens());
    if (hasCached) {
      out.string("prompt_tokens_details").map(1);
      out.string("cached_tokens").unsigned(usage.cachedTokens());
    }
  }

  /** Returns the item by which a worker says that it failed. */
  public static byte[] encodeError(DynamoException error) {
    MsgpackWriter out = MsgpackWriter.ofExpectedSize(256).map(2);
    PeerError.write(error, out.string("event").string(ERROR).string(ERROR));
    return out.toByteArray();
  }
}
