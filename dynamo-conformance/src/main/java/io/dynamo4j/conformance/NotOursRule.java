// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.function.Predicate;

/**
 * Names cases that this library has nothing to do with, by their own content.
 *
 * @param name as the list of such cases names it
 * @param covers whether a case falls under it
 */
public record NotOursRule(String name, Predicate<JsonNode> covers) {}
