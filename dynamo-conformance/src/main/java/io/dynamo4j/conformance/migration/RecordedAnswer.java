// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.migration;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.dynamo4j.conformance.MalformedCaseException;
import io.dynamo4j.core.model.CompletionUsage;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What a recorded client got, whatever interface it used: its framing taken off. */
final class RecordedAnswer {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final ClientSetup setup;
  private final JsonNode recorded;
  private final Map<Integer, StringBuilder> texts = new TreeMap<>();
  private final Map<Integer, List<String>> finishReasons = new TreeMap<>();
  private final List<String> logProbs = new ArrayList<>();
  private @Nullable CompletionUsage usage;
  private @Nullable String failure;
  private boolean done;

  private RecordedAnswer(ClientSetup setup) {
    this.setup = setup;
    this.recorded = setup.recorded();
  }

  static Answer of(ClientSetup setup) {
    RecordedAnswer answer = new RecordedAnswer(setup);
    answer.read();
    return answer.answer();
  }

  /** Returns what the client was told beside the answer. */
  static List<String> annotations(JsonNode recorded) {
    List<String> events = new ArrayList<>();
    if (Api.of(recorded.at("/request/path").asText()).hasChoices()) {
      for (JsonNode line : recorded.path("sse")) {
        String text = line.path("line").asText();
        if (text.startsWith("event: ") && !text.equals("event: error")) {
          events.add(text.substring("event: ".length()));
        }
      }
    }
    return events;
  }

  /** Returns every piece of JSON that a client got. */
  static List<JsonNode> chunks(JsonNode recorded) {
    List<JsonNode> chunks = new ArrayList<>();
    for (JsonNode each : recorded.path("sse")) {
      String line = each.path("line").asText();
      if (line.startsWith("data: ") && !line.equals("data: [DONE]")) {
        chunks.add(parse(line.substring("data: ".length())));
      }
    }
    if (recorded.path("body").isObject()) {
      chunks.add(recorded.path("body"));
    }
    return chunks;
  }

  private void read() {
    for (JsonNode each : recorded.path("sse")) {
      String line = each.path("line").asText();
      if (line.equals("data: [DONE]")) {
        done = true;
      } else if (line.startsWith("data: ")) {
        readChunk(parse(line.substring("data: ".length())));
      }
    }
    JsonNode body = recorded.path("body");
    if (body.isObject() && recorded.path("status").asInt() == 200) {
      done = true;
      readChunk(body);
    }
  }

  private static JsonNode parse(String text) {
    try {
      return JSON.readTree(text);
    } catch (JsonProcessingException e) {
      throw new MalformedCaseException("event is no JSON: data=" + text, e);
    }
  }

  private void readChunk(JsonNode chunk) {
    JsonNode error = chunk.path("error");
    if (error.isObject()) {
      failure = Answer.failed(code(error));
    } else if (setup.api().hasChoices()) {
      chunk.path("choices").forEach(this::readChoice);
      readUsage(chunk.path("usage"), "prompt_tokens", "completion_tokens");
    } else if (setup.api() == Api.RESPONSES) {
      readResponses(chunk);
    } else {
      readMessages(chunk);
    }
  }

  private static int code(JsonNode error) {
    if (error.path("code").isInt()) {
      return error.path("code").intValue();
    }
    String message = error.path("message").asText();
    if (message.contains("unavailable")) {
      return 503;
    }
    if (message.contains("overloaded")) {
      return 529;
    }
    return message.contains("deadline") ? 504 : 500;
  }

  private void readChoice(JsonNode choice) {
    int index = choice.path("index").asInt();
    String text =
        choice.path("text").asText("")
            + choice.at("/delta/content").asText("")
            + choice.at("/message/content").asText("");
    add(index, text.equals("null") ? "" : text);
    if (choice.path("finish_reason").isTextual()) {
      finish(index, choice.path("finish_reason").asText());
    }
    if (index == 0) {
      choice.at("/logprobs/content").forEach(each -> addLogProb(each.path("logprob")));
      choice.at("/logprobs/token_logprobs").forEach(this::addLogProb);
    }
  }

  private void addLogProb(JsonNode value) {
    logProbs.add(ClientRun.rounded(value.asDouble()));
  }

  private void readResponses(JsonNode chunk) {
    if (chunk.path("type").asText().equals("response.output_text.delta")) {
      add(0, chunk.path("delta").asText());
    }
    JsonNode response = chunk.has("response") ? chunk.path("response") : chunk;
    String status = response.path("status").asText();
    if (!chunk.has("response")) {
      for (JsonNode content : response.at("/output/0/content")) {
        add(0, content.path("text").asText(""));
      }
    }
    switch (status) {
      case "completed" -> finish(0, "stop");
      case "incomplete" -> {
        if (response.has("usage") || !chunk.has("response")) {
          finish(0, "length");
        }
      }
      case "failed" -> failure = Answer.failed(code(response.path("error")));
      default -> {}
    }
    readUsage(response.path("usage"), "input_tokens", "output_tokens");
  }

  private void readMessages(JsonNode chunk) {
    add(0, chunk.at("/delta/text").asText(""));
    for (JsonNode content : chunk.path("content")) {
      add(0, content.path("text").asText(""));
    }
    String reason = chunk.at("/delta/stop_reason").asText(chunk.path("stop_reason").asText(""));
    switch (reason) {
      case "end_turn", "stop_sequence" -> finish(0, "stop");
      case "max_tokens" -> finish(0, "length");
      default -> {}
    }
    readUsage(chunk.path("usage"), "input_tokens", "output_tokens");
  }

  private void readUsage(JsonNode reported, String prompt, String completion) {
    if (reported.isObject() && reported.path(completion).isInt()) {
      JsonNode details =
          reported.has("prompt_tokens_details")
              ? reported.path("prompt_tokens_details")
              : reported.path("input_tokens_details");
      long cached =
          details.path("cached_tokens").asLong(reported.path("cache_read_input_tokens").asLong(0));
      long all = reported.path(prompt).asLong();
      // This interface counts cached tokens beside the input, not in it.
      all += setup.api() == Api.MESSAGES ? cached : 0;
      usage = new CompletionUsage(all, reported.path(completion).asLong(), cached);
    }
  }

  private void add(int choice, String text) {
    if (!text.isEmpty()) {
      texts.computeIfAbsent(choice, key -> new StringBuilder()).append(text);
    }
  }

  private void finish(int choice, String reason) {
    finishReasons.computeIfAbsent(choice, key -> new ArrayList<>()).add(reason);
  }

  private Answer answer() {
    Map<Integer, String> whole = new TreeMap<>();
    texts.forEach((choice, text) -> whole.put(choice, text.toString()));
    return new Answer(end(), whole, finishReasons, usage, logProbs, annotations(recorded));
  }

  /** Nobody there is nobody there, whichever way it is told. */
  static String refused(int status) {
    return Answer.failed(status == 404 ? 503 : status);
  }

  private String end() {
    if (recorded.path("exception").isTextual()
        || recorded.has("client_disconnected_after_chunks")) {
      return Answer.LEFT;
    }
    int status = recorded.path("status").asInt();
    if (status != 200) {
      return refused(status);
    }
    if (failure != null) {
      return failure;
    }
    return done || !setup.api().hasChoices() ? Answer.COMPLETED : Answer.failed(0);
  }
}
