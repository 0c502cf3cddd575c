// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.migration;

import com.fasterxml.jackson.databind.JsonNode;
import io.dynamo4j.conformance.MalformedCaseException;
import io.dynamo4j.core.token.TokenSlice;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** The recorded vocabulary: tokens below 256 are bytes of UTF-8, six more frame chats. */
final class Tokenizer {
  private static final int USER = 258;
  private static final int ASSISTANT = 259;
  private static final int SYSTEM = 260;
  private static final int END = 261;

  private Tokenizer() {}

  /** Returns the text of tokens; special ones have none. */
  static String decode(TokenSlice tokens) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(tokens.length());
    for (int i = 0; i < tokens.length(); i++) {
      if (tokens.get(i) >= 0 && tokens.get(i) < 256) {
        bytes.write(tokens.get(i));
      }
    }
    return bytes.toString(StandardCharsets.UTF_8);
  }

  /** Returns the prompts of a client's request body; several in a batch. */
  static List<List<Integer>> prompts(String path, JsonNode body) {
    if (body.has("messages")) {
      return List.of(chat(body.path("messages"), body.path("system").asText("")));
    }
    if (body.has("input")) {
      return List.of(responses(body));
    }
    JsonNode prompt = body.path("prompt");
    if (prompt.isArray() && (prompt.path(0).isTextual() || prompt.path(0).isArray())) {
      List<List<Integer>> prompts = new ArrayList<>();
      prompt.forEach(each -> prompts.add(plain(each)));
      return prompts;
    }
    if (prompt.isMissingNode() && body.has("prompt_embeds")) {
      return List.of(List.of());
    }
    if (prompt.isMissingNode()) {
      throw new MalformedCaseException("request has no prompt: path=" + path);
    }
    return List.of(plain(prompt));
  }

  private static List<Integer> plain(JsonNode prompt) {
    List<Integer> tokens = new ArrayList<>();
    if (prompt.isTextual()) {
      addText(tokens, prompt.textValue());
    } else {
      prompt.forEach(token -> tokens.add(token.asInt()));
    }
    return tokens;
  }

  private static List<Integer> responses(JsonNode body) {
    List<Integer> tokens = new ArrayList<>();
    if (body.path("instructions").isTextual()) {
      addMessage(tokens, "system", body.path("instructions").textValue());
    }
    if (body.path("input").isTextual()) {
      addMessage(tokens, "user", body.path("input").textValue());
    } else {
      body.path("input").forEach(each -> addMessage(tokens, each));
    }
    tokens.add(ASSISTANT);
    return tokens;
  }

  private static List<Integer> chat(JsonNode messages, String system) {
    List<Integer> tokens = new ArrayList<>();
    if (!system.isEmpty()) {
      addMessage(tokens, "system", system);
    }
    messages.forEach(message -> addMessage(tokens, message));
    tokens.add(ASSISTANT);
    return tokens;
  }

  private static void addMessage(List<Integer> tokens, JsonNode message) {
    addMessage(tokens, message.path("role").asText(), message.path("content").asText());
  }

  private static void addMessage(List<Integer> tokens, String role, String content) {
    tokens.add(
        switch (role) {
          case "user" -> USER;
          case "assistant" -> ASSISTANT;
          case "system" -> SYSTEM;
          default -> throw new MalformedCaseException("role is unknown: role=" + role);
        });
    addText(tokens, content);
    tokens.add(END);
  }

  private static void addText(List<Integer> tokens, String text) {
    for (byte each : text.getBytes(StandardCharsets.UTF_8)) {
      tokens.add(each & 0xff);
    }
  }
}
