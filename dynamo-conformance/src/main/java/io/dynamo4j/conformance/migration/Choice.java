// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.migration;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * What was left to chance when a case was recorded: under which ids the workers were known and so
 * in which order they are asked, where chance chooses among them, and whether the last frames of a
 * worker that dies or stands still arrive.
 *
 * @param order the workers, by ascending id
 * @param atRandom whether chance chooses workers, by {@code seed}, where the peer went round
 */
record Choice(List<String> order, boolean atRandom, long seed, boolean framesSurvive) {
  private static final int MOST_ORDERS = 120;
  private static final int SEEDS = 200;

  /** Returns the choices to try, likely ones first. */
  static List<Choice> all(MigrationCase recorded) {
    Set<String> names = new LinkedHashSet<>();
    recorded.content().path("attempts").forEach(each -> names.add(each.path("worker").asText()));
    recorded.workers().forEach(each -> names.add(each.name()));
    recorded.operations().forEach(each -> names.add(each.worker()));
    List<List<String>> orders = new ArrayList<>();
    permute(new ArrayList<>(names), 0, orders);
    boolean goesRound = recorded.setup().mode() == CaseSetup.Mode.ROUND_ROBIN;
    List<Choice> choices = new ArrayList<>();
    for (List<String> order : goesRound ? orders : orders.subList(0, 1)) {
      choices.add(new Choice(order, false, 1, true));
    }
    for (long seed = 2; seed < SEEDS && names.size() > 1; seed++) {
      choices.add(new Choice(orders.get(0), goesRound, seed, true));
    }
    String scripts = recorded.content().path("scripts").toString();
    if (scripts.contains("\"exit\"") || scripts.contains("\"freeze\"")) {
      for (Choice each : List.copyOf(choices)) {
        choices.add(new Choice(each.order, each.atRandom, each.seed, false));
      }
    }
    return choices;
  }

  private static void permute(List<String> names, int from, List<List<String>> orders) {
    if (orders.size() >= MOST_ORDERS) {
      return;
    }
    if (from >= names.size() - 1) {
      orders.add(List.copyOf(names));
      return;
    }
    for (int i = from; i < names.size(); i++) {
      names.add(from, names.remove(i));
      permute(names, from + 1, orders);
      names.add(i, names.remove(from));
    }
  }
}
