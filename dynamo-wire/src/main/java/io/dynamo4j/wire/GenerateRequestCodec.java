// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.wire;

import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.model.RoutingHints;
import io.dynamo4j.core.model.SamplingOptions;
import io.dynamo4j.core.model.StopConditions;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.wire.WireFormatException.Reason;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleConsumer;
import java.util.function.IntConsumer;
import java.util.function.LongConsumer;

/**
 * Bodies of {@code generate}: what the library reads goes to typed fields, everything else is
 * carried by its name in {@link PreprocessedRequest#extensions()}, nested options included.
 *
 * <p>A pinned worker is written as {@code routing.dp_rank}: which worker is meant, the address
 * says.
 *
 * <p><b>Threads.</b> Stateless.
 */
public final class GenerateRequestCodec {
  private static final String STOP = "stop_conditions";
  private static final String SAMPLING = "sampling_options";
  private static final String ROUTING = "routing";
  private static final WireNames KEYS = WireNames.of("model", "token_ids", STOP, SAMPLING, ROUTING);

  private GenerateRequestCodec() {}

  /* --------------- Writing --------------- */

  /** Returns a request as MessagePack. */
  public static byte[] encode(PreprocessedRequest request) {
    Map<String, Object> rest = new LinkedHashMap<>(request.extensions());
    Map<String, Object> stop = stopOf(request.stopConditions(), nested(rest.remove(STOP)));
    Map<String, Object> sampling =
        samplingOf(request.samplingOptions(), nested(rest.remove(SAMPLING)));
    Map<String, Object> routing = routingOf(request.routing(), nested(rest.remove(ROUTING)));
    rest.remove("model");
    rest.remove("token_ids");
    rest.putIfAbsent("output_options", new LinkedHashMap<>());
    rest.putIfAbsent("eos_token_ids", List.of());
    rest.putIfAbsent("annotations", List.of());
    MsgpackWriter out =
        MsgpackWriter.ofExpectedSize(512 + 5 * request.tokenIds().length()).map(5 + rest.size());
    out.string("model").string(request.model());
    MsgpackValues.writeTokens(request.tokenIds(), out.string("token_ids"));
    MsgpackValues.write(stop, out.string(STOP));
    MsgpackValues.write(sampling, out.string(SAMPLING));
    rest.forEach((key, value) -> MsgpackValues.write(value, out.string(key)));
    MsgpackValues.write(routing, out.string(ROUTING));
    return out.toByteArray();
  }

  private static Map<String, Object> nested(Object value) {
    Map<String, Object> copy = new LinkedHashMap<>();
    if (value instanceof Map<?, ?> map) {
      map.forEach((key, item) -> copy.put((String) key, item));
    }
    return copy;
  }

  private static Map<String, Object> stopOf(StopConditions stop, Map<String, Object> out) {
    put(out, "max_tokens", stop.maxTokens() != StopConditions.UNSET, stop.maxTokens());
    put(out, "min_tokens", stop.minTokens() != StopConditions.UNSET, stop.minTokens());
    put(out, "stop", !stop.stop().isEmpty(), stop.stop());
    put(out, "stop_token_ids_hidden", !stop.stopTokenIds().isEmpty(), stop.stopTokenIds());
    put(
        out,
        "stop_token_ids_visible",
        !stop.visibleStopTokenIds().isEmpty(),
        stop.visibleStopTokenIds());
    put(out, "ignore_eos", stop.ignoreEos(), true);
    return out;
  }

  private static Map<String, Object> samplingOf(SamplingOptions options, Map<String, Object> out) {
    put(out, "n", options.n() > 1, options.n());
    put(out, "temperature", options.temperature().isPresent(), options.temperature().orElse(0));
    put(out, "top_p", options.topP().isPresent(), options.topP().orElse(0));
    put(out, "seed", options.seed().isPresent(), options.seed().orElse(0));
    put(out, "include_stop_str_in_output", options.includeStopInOutput(), true);
    Map<String, Object> guided = options.guidedDecoding();
    if (guided != null) {
      out.put("guided_decoding", guided);
    }
    return out;
  }

  private static Map<String, Object> routingOf(RoutingHints routing, Map<String, Object> out) {
    WorkerWithDpRank pinned = routing.pinnedWorker();
    int rank = pinned == null ? routing.requiredDpRank() : pinned.dpRank();
    put(out, "dp_rank", rank != RoutingHints.ANY_DP_RANK, rank);
    put(out, "lora_name", !routing.loraName().isEmpty(), routing.loraName());
    put(
        out,
        "expected_output_tokens",
        routing.expectedOutputTokens() >= 0,
        routing.expectedOutputTokens());
    return out;
  }

  private static void put(Map<String, Object> out, String key, boolean isSet, Object value) {
    if (isSet) {
      out.put(key, value);
    }
  }

  /* --------------- Reading --------------- */

  /**
   * Reads a request.
   *
   * @param requestId the id, which travels beside it
   * @param workerId the worker that it came to, of which it may name a rank
   * @throws WireFormatException if it is no map, has no tokens, or a field is of another type
   */
  public static PreprocessedRequest decode(String requestId, long workerId, byte[] msgpack) {
    MsgpackReader in = MsgpackReader.of(msgpack);
    TokenSlice tokens = null;
    PreprocessedRequest.Builder request =
        PreprocessedRequest.builder(requestId, TokenSlice.empty());
    Map<String, Object> rest = new LinkedHashMap<>();
    int entries = in.readMapHeader();
    for (int i = 0; i < entries; i++) {
      int start = in.position();
      switch (in.readName(KEYS)) {
        case "model" -> request.model(in.readString());
        case "token_ids" -> tokens = MsgpackValues.readTokens(in);
        case STOP -> readStop(in, request, rest);
        case SAMPLING -> readSampling(in, request, rest);
        case ROUTING -> readRouting(in, workerId, request, rest);
        default -> {
          in.seek(start);
          String key = in.readString();
          Object value = MsgpackValues.read(in);
          if (value != null) {
            rest.put(key, value);
          }
        }
      }
    }
    if (tokens == null) {
      throw in.fault(Reason.MALFORMED, "request without tokens");
    }
    return request.tokenIds(tokens).extensions(rest).build();
  }

  private static void readStop(
      MsgpackReader in, PreprocessedRequest.Builder request, Map<String, Object> rest) {
    Map<String, Object> stop = MsgpackValues.readMap(in);
    Fields fields = new Fields(stop, in);
    List<Integer> hidden = new ArrayList<>();
    fields.takeTokens("stop_token_ids", hidden::add);
    fields.takeTokens("stop_token_ids_hidden", hidden::add);
    List<Integer> visible = new ArrayList<>();
    fields.takeTokens("stop_token_ids_visible", visible::add);
    request.stopConditions(
        StopConditions.builder()
            .maxTokens(fields.takeBudget("max_tokens"))
            .minTokens(fields.takeBudget("min_tokens"))
            .stop(fields.takeTexts("stop"))
            .stopTokenIds(hidden)
            .visibleStopTokenIds(visible)
            .ignoreEos(fields.takeFlag("ignore_eos"))
            .build());
    keep(rest, STOP, stop);
  }

  private static void readSampling(
      MsgpackReader in, PreprocessedRequest.Builder request, Map<String, Object> rest) {
    Map<String, Object> sampling = MsgpackValues.readMap(in);
    Fields fields = new Fields(sampling, in);
    SamplingOptions.Builder options =
        SamplingOptions.builder()
            .includeStopInOutput(fields.takeFlag("include_stop_str_in_output"));
    fields.takeWhole("n", n -> options.n((int) Math.max(1, Math.min(255, n))));
    fields.takeWhole("seed", options::seed);
    fields.takeNumber("temperature", options::temperature);
    fields.takeNumber("top_p", options::topP);
    if (sampling.get("guided_decoding") instanceof Map<?, ?> guided) {
      sampling.remove("guided_decoding");
      options.guidedDecoding(nested(guided));
    }
    request.samplingOptions(options.build());
    keep(rest, SAMPLING, sampling);
  }

  private static void readRouting(
      MsgpackReader in,
      long workerId,
      PreprocessedRequest.Builder request,
      Map<String, Object> rest) {
    Map<String, Object> routing = MsgpackValues.readMap(in);
    Fields fields = new Fields(routing, in);
    RoutingHints.Builder hints = RoutingHints.builder();
    fields.takeWhole(
        "dp_rank", rank -> hints.pinnedWorker(new WorkerWithDpRank(workerId, (int) rank)));
    fields.takeWhole("expected_output_tokens", hints::expectedOutputTokens);
    if (routing.get("lora_name") instanceof String name) {
      routing.remove("lora_name");
      hints.loraName(name);
    }
    request.routing(hints.build());
    keep(rest, ROUTING, routing);
  }

  private static void keep(Map<String, Object> rest, String key, Map<String, Object> left) {
    if (!left.isEmpty()) {
      rest.put(key, left);
    }
  }

  /** Takes typed fields out of a map. */
  private record Fields(Map<String, Object> map, MsgpackReader in) {
    boolean takeFlag(String key) {
      Object value = map.get(key);
      if (value == null) {
        return false;
      }
      if (value instanceof Boolean flag) {
        map.remove(key);
        return flag;
      }
      throw wrong(key);
    }

    long takeBudget(String key) {
      Object value = map.get(key);
      if (value == null) {
        return StopConditions.UNSET;
      }
      if (value instanceof Long budget && budget >>> 32 == 0) {
        map.remove(key);
        return budget;
      }
      throw wrong(key);
    }

    void takeWhole(String key, LongConsumer to) {
      Object value = map.get(key);
      if (value == null) {
        return;
      }
      if (!(value instanceof Long whole)) {
        throw wrong(key);
      }
      map.remove(key);
      to.accept(whole);
    }

    void takeNumber(String key, DoubleConsumer to) {
      Object value = map.get(key);
      if (value == null) {
        return;
      }
      if (!(value instanceof Number number)) {
        throw wrong(key);
      }
      map.remove(key);
      to.accept(number.doubleValue());
    }

    void takeTokens(String key, IntConsumer to) {
      for (Object value : takeList(key)) {
        if (!(value instanceof Long token) || token >>> 32 != 0) {
          throw wrong(key);
        }
        to.accept((int) (long) token);
      }
    }

    List<String> takeTexts(String key) {
      List<String> texts = new ArrayList<>();
      for (Object value : takeList(key)) {
        if (!(value instanceof String text)) {
          throw wrong(key);
        }
        texts.add(text);
      }
      return texts;
    }

    private List<?> takeList(String key) {
      Object value = map.get(key);
      if (value == null) {
        return List.of();
      }
      if (!(value instanceof List<?> list)) {
        throw wrong(key);
      }
      map.remove(key);
      return list;
    }

    private WireFormatException wrong(String key) {
      return in.fault(Reason.MALFORMED, key);
    }
  }
}
