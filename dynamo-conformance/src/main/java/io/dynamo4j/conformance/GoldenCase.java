// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * One recorded case.
 *
 * @param id {@code folder/file#i}, without {@code #i} where a file is one case
 * @param content the case as recorded
 */
public record GoldenCase(String id, JsonNode content) {}
