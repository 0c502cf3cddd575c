// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.migration;

import io.dynamo4j.conformance.MalformedCaseException;

/** Through which interface a client asked. */
enum Api {
  COMPLETIONS("max_tokens"),
  CHAT("max_tokens"),
  RESPONSES("max_output_tokens"),
  MESSAGES("max_tokens");

  private final String maxTokensField;

  Api(String maxTokensField) {
    this.maxTokensField = maxTokensField;
  }

  static Api of(String path) {
    return switch (path) {
      case "/v1/completions" -> COMPLETIONS;
      case "/v1/chat/completions" -> CHAT;
      case "/v1/responses" -> RESPONSES;
      case "/v1/messages" -> MESSAGES;
      default -> throw new MalformedCaseException("interface is unknown: path=" + path);
    };
  }

  String maxTokensField() {
    return maxTokensField;
  }

  /** Returns whether these are the answers of OpenAI's older interfaces, with choices. */
  boolean hasChoices() {
    return this == COMPLETIONS || this == CHAT;
  }
}
