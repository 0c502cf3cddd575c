// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.tcp;

import io.dynamo4j.wire.GenerateItemCodec;
import io.dynamo4j.wire.JsonValues;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Texts as requests and items; for tests of planes with this payload. */
public enum TextCodec implements PayloadCodec<String, String> {
  INSTANCE;

  @Override
  public byte[] encodeRequest(String request) {
    return JsonValues.toMsgpack(("\"" + request + "\"").getBytes(StandardCharsets.UTF_8));
  }

  @Override
  public String decodeRequest(String requestId, long workerId, byte[] msgpack) {
    String json = new String(JsonValues.toJson(msgpack), StandardCharsets.UTF_8);
    return json.substring(1, json.length() - 1);
  }

  @Override
  public byte[] encodeItem(String item) {
    return JsonValues.toMsgpack(("{\"data\":\"" + item + "\"}").getBytes(StandardCharsets.UTF_8));
  }

  @Override
  public String decodeItem(byte[] bytes, int start, int end) {
    byte[] json = JsonValues.toJson(Arrays.copyOfRange(bytes, start, end));
    String text = new String(json, StandardCharsets.UTF_8);
    if (text.contains("\"error\"")) {
      GenerateItemCodec.decode(bytes, start, end);
    }
    return text.substring("{\"data\":\"".length(), text.length() - 2);
  }
}
