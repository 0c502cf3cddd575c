// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * Which keys a reader knows, so that none is passed over in silence: one that it does not know may
 * change what the case means.
 *
 * <p><b>Threads.</b> Immutable.
 */
public final class CaseKeys {
  private static final CaseKeys ANY = new CaseKeys(new LinkedHashMap<>(), Set.of(), Set.of());

  /** Ranks, instances and partitions, which stand as keys. */
  private static final Pattern VALUE = Pattern.compile("-?\\d+|.*:.*");

  private final Map<String, Set<String>> places;
  private final Set<String> answers;
  private final Set<String> answerNames;

  private CaseKeys(Map<String, Set<String>> places, Set<String> answers, Set<String> answerNames) {
    this.places = Collections.unmodifiableMap(places);
    this.answers = answers;
    this.answerNames = answerNames;
  }

  /** Returns the keys of a reader that checks them itself. */
  public static CaseKeys any() {
    return ANY;
  }

  /** Returns the keys of a case, of nothing in it. */
  public static CaseKeys of(String... names) {
    return ANY.and("", names);
  }

  /** Returns these, with those of a part of the case or of each element of a list in it. */
  public CaseKeys and(String place, String... names) {
    Map<String, Set<String>> more = new LinkedHashMap<>(places);
    more.put(place, set(names));
    return new CaseKeys(more, answers, answerNames);
  }

  /** Returns these, with the names that may stand at any depth below some keys of each step. */
  public CaseKeys answers(List<String> keys, Set<String> names) {
    return new CaseKeys(places, set(keys.toArray(String[]::new)), names);
  }

  private static Set<String> set(String... names) {
    Set<String> set = new TreeSet<>();
    Collections.addAll(set, names);
    return Collections.unmodifiableSet(set);
  }

  /** Returns every key that is not known, with where it stands. */
  public List<String> unknown(JsonNode content) {
    List<String> unknown = new ArrayList<>();
    places.forEach(
        (place, names) -> {
          JsonNode part = place.isEmpty() ? content : content.path(place);
          if (part.isArray()) {
            for (int i = 0; i < part.size(); i++) {
              compare(place + "[" + i + "].", part.get(i), names, unknown);
            }
          } else {
            compare(place.isEmpty() ? "" : place + ".", part, names, unknown);
          }
        });
    JsonNode steps = content.path("steps");
    for (int i = 0; i < steps.size(); i++) {
      for (String answer : answers) {
        deep("steps[" + i + "]." + answer, steps.get(i).path(answer), unknown);
      }
    }
    return unknown;
  }

  private static void compare(
      String where, JsonNode part, Set<String> names, List<String> unknown) {
    part.fieldNames()
        .forEachRemaining(
            name -> {
              if (!names.contains(name)) {
                unknown.add(where + name);
              }
            });
  }

  private void deep(String where, JsonNode node, List<String> unknown) {
    for (int i = 0; node.isArray() && i < node.size(); i++) {
      deep(where + "[" + i + "]", node.get(i), unknown);
    }
    node.properties()
        .forEach(
            entry -> {
              String name = entry.getKey();
              if (!answerNames.contains(name) && !VALUE.matcher(name).matches()) {
                unknown.add(where + "." + name);
              }
              deep(where + "." + name, entry.getValue(), unknown);
            });
  }
}
