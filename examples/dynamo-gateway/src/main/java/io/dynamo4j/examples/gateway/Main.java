// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.examples.gateway;

import io.dynamo4j.blocking.BlockingResponses;
import io.dynamo4j.blocking.Gate;
import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.model.StopConditions;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.discovery.FileDiscovery;
import io.dynamo4j.plane.EventScope;
import io.dynamo4j.plane.PlaneSelection;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.Scanner;

/**
 * Answers prompts of token ids, one a line, from the fleet whose folder {@code DYN_FILE_KV} names,
 * over the planes that {@code DYN_EVENT_PLANE} and {@code DYN_REQUEST_PLANE} name.
 */
public final class Main {
  private static final int BLOCK_SIZE = 16;
  private static final int MAX_TOKENS = 64;

  private Main() {}

  /** Takes the model's name, {@code tiny} unless given. */
  public static void main(String[] args) {
    String model = args.length > 0 ? args[0] : "tiny";
    EventScope.Endpoint endpoint = new EventScope.Endpoint("dynamo", "backend", "generate");
    Map<String, String> variables = System.getenv();
    PlaneSelection planes = PlaneSelection.fromEnvironment(variables);
    System.err.println(planes);
    try (DynamoGateway gateway =
            DynamoGateway.join(
                planes, variables, FileDiscovery.root(variables), endpoint, BLOCK_SIZE);
        Scanner lines = new Scanner(System.in, StandardCharsets.UTF_8)) {
      System.err.println(gateway.whenReady().toCompletableFuture().join());
      for (int number = 1; lines.hasNextLine(); number++) {
        answer(gateway, model, number, lines.nextLine());
      }
    }
  }

  private static void answer(DynamoGateway gateway, String model, int number, String line) {
    int[] prompt =
        Arrays.stream(line.trim().split("\\s+", -1)).mapToInt(Integer::parseInt).toArray();
    PreprocessedRequest request =
        PreprocessedRequest.builder("request-" + number, TokenSlice.wrap(prompt))
            .model(model)
            .stopConditions(StopConditions.builder().maxTokens(MAX_TOKENS).build())
            .build();
    Gate gate = Gate.over(gateway.environment());
    try (var answer = BlockingResponses.builder(gateway.answer(request), gate).open()) {
      answer.forEachRemaining(Main::print);
    }
    System.out.println();
  }

  private static void print(LLMEngineOutput item) {
    for (int i = 0; i < item.tokenIds().length(); i++) {
      System.out.print(Integer.toUnsignedString(item.tokenIds().get(i)) + " ");
    }
  }
}
