// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.tree;

import com.fasterxml.jackson.databind.JsonNode;
import io.dynamo4j.conformance.Fields;
import io.dynamo4j.conformance.MalformedCaseException;
import io.dynamo4j.core.model.WorkerWithDpRank;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The steps of one recorded scenario, in the form that both kinds of file share. */
record TreeScenario(List<Step> steps) {

  /**
   * One step and what was asked behind it.
   *
   * @param result the recorded outcome
   */
  record Step(Action action, Outcome result, List<Query> queries) {}

  /** Does something to an index. */
  @FunctionalInterface
  interface Action {
    Outcome on(Index index);
  }

  /**
   * One question and its recorded answers.
   *
   * @param singleScores the answer of the single-threaded tree where that is another, or null
   */
  record Query(
      List<Long> locals,
      SortedMap<WorkerWithDpRank, Integer> scores,
      @Nullable SortedMap<WorkerWithDpRank, Integer> singleScores) {}

  /**
   * Reads a case.
   *
   * @param resultKey where a step's recorded outcome stands
   * @throws MalformedCaseException if the case cannot be understood
   */
  static TreeScenario of(JsonNode content, String resultKey) {
    List<Step> steps = new ArrayList<>();
    for (JsonNode step : Fields.array(content, "steps")) {
      steps.add(
          new Step(
              action(step),
              Outcome.ofText(Fields.text(step, resultKey)),
              queries(step, "queries_after")));
    }
    if (steps.isEmpty()) {
      throw new MalformedCaseException("scenario has no steps");
    }
    if (content.has("queries")) {
      Action nothing = index -> Outcome.OK;
      steps.add(new Step(nothing, Outcome.OK, queries(content, "queries")));
    }
    return new TreeScenario(steps);
  }

  /** Returns the stored events of a recorded dump, which are whole router events as text. */
  static Action stored(JsonNode routerEvent) {
    JsonNode event = Fields.required(routerEvent, "event");
    JsonNode stored = Fields.required(Fields.required(event, "data"), "stored");
    WorkerWithDpRank worker = worker(routerEvent, event);
    Long parent = Fields.isAbsent(stored, "parent_hash") ? null : bits(stored, "parent_hash");
    List<Block> blocks = new ArrayList<>();
    for (JsonNode block : Fields.array(stored, "blocks")) {
      blocks.add(new Block(bits(block, "tokens_hash"), bits(block, "block_hash")));
    }
    return index -> index.store(worker, parent, blocks);
  }

  private static Action action(JsonNode step) {
    String op = Fields.text(step, "op");
    WorkerWithDpRank worker = worker(step, step);
    return switch (op) {
      case "stored" -> {
        Long parent = Fields.isAbsent(step, "parent") ? null : bits(step, "parent");
        List<Block> blocks = blocks(step);
        yield index -> index.store(worker, parent, blocks);
      }
      case "removed" -> {
        List<Long> hashes = longs(Fields.array(step, "hashes"));
        yield index -> index.remove(worker, hashes);
      }
      case "cleared" ->
          index -> {
            index.clear(worker);
            return Outcome.OK;
          };
      case "clear_all_blocks", "cleared_all_ranks", "remove_worker" ->
          index -> {
            index.clearWorker(worker.workerId());
            return Outcome.OK;
          };
      default -> throw new MalformedCaseException("step is unknown: op=" + op);
    };
  }

  private static List<Query> queries(JsonNode node, String key) {
    List<Query> queries = new ArrayList<>();
    if (Fields.isAbsent(node, key)) {
      return queries;
    }
    for (JsonNode query : Fields.array(node, key)) {
      String single = "single_thread_tree_scores";
      queries.add(
          new Query(
              longs(Fields.array(query, "query")),
              scores(Fields.array(query, "scores")),
              Fields.isAbsent(query, single) ? null : scores(Fields.array(query, single))));
    }
    return queries;
  }

  private static SortedMap<WorkerWithDpRank, Integer> scores(JsonNode rows) {
    SortedMap<WorkerWithDpRank, Integer> scores = new TreeMap<>();
    for (JsonNode row : rows) {
      if (!row.isArray() || row.size() != 3 || !row.get(2).isInt()) {
        throw Fields.wrong("[worker, rank, blocks]", "scores", row);
      }
      WorkerWithDpRank worker =
          new WorkerWithDpRank(Fields.bits(row.get(0)), rank(Fields.bits(row.get(1)), row));
      if (scores.put(worker, row.get(2).intValue()) != null) {
        throw Fields.wrong("each rank once", "scores", rows);
      }
    }
    return scores;
  }

  private static List<Block> blocks(JsonNode step) {
    List<Block> blocks = new ArrayList<>();
    for (JsonNode block : Fields.array(step, "blocks")) {
      if (!block.isArray() || block.size() != 2) {
        throw Fields.wrong("[local, external]", "blocks", block);
      }
      blocks.add(new Block(Fields.bits(block.get(0)), Fields.bits(block.get(1))));
    }
    return blocks;
  }

  private static WorkerWithDpRank worker(JsonNode ofWorker, JsonNode ofRank) {
    int rank = Fields.isAbsent(ofRank, "dp_rank") ? 0 : rank(bits(ofRank, "dp_rank"), ofRank);
    return new WorkerWithDpRank(bits(ofWorker, "worker_id"), rank);
  }

  private static int rank(long value, JsonNode where) {
    if (value >>> 32 != 0) {
      throw Fields.wrong("unsigned 32-bit number", "dp_rank", where);
    }
    return (int) value;
  }

  private static long bits(JsonNode node, String name) {
    return Fields.bits(Fields.required(node, name));
  }

  private static List<Long> longs(JsonNode array) {
    List<Long> values = new ArrayList<>();
    array.forEach(each -> values.add(Fields.bits(each)));
    return values;
  }
}
