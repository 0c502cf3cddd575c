// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.tree;

import io.dynamo4j.conformance.Replay;
import io.dynamo4j.conformance.tree.PeerTree.Form;
import io.dynamo4j.conformance.tree.TreeScenario.Query;
import io.dynamo4j.conformance.tree.TreeScenario.Step;
import io.dynamo4j.core.model.WorkerWithDpRank;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;

/**
 * Runs one scenario through all indexes and judges each recorded answer; the class of a fault is
 * decided from the scenario alone, by leaving faults out of the model.
 */
final class TreeReplay {
  /** As many active ranks as holders pass for the same ranks: too high. */
  static final String HOLDERS_COUNTED = "holders-counted-not-compared";

  /** Another external hash for a place: the rest of a store is lost, or coverage stays for ever. */
  static final String FOREIGN_HASH = "foreign-external-hash";

  /** A rank's answer depends on what other ranks hold, or on blocks long gone. */
  static final String SHARED_STATE = "state-shared-between-ranks";

  private final Index ours = new OurIndex();
  private final Index exact = new ExactIndex();
  private final PeerTree single = new PeerTree(Form.SINGLE);
  private final PeerTree peer;
  private final PeerTree withoutCounting;
  private final PeerTree withoutDropping;
  private final List<Index> all;
  private final Replay replay = Replay.create();

  private TreeReplay(boolean concurrent) {
    this.peer = new PeerTree(concurrent ? Form.CONCURRENT : Form.SINGLE);
    this.withoutCounting = new PeerTree(new Form(concurrent, false, concurrent));
    this.withoutDropping = new PeerTree(new Form(concurrent, concurrent, false));
    this.all = List.of(ours, exact, single, peer, withoutCounting, withoutDropping);
  }

  /** Judges a scenario of the single-threaded or of the concurrent tree. */
  static Replay of(TreeScenario scenario, boolean concurrent) {
    TreeReplay run = new TreeReplay(concurrent);
    for (int i = 0; i < scenario.steps().size(); i++) {
      run.step(scenario.steps().get(i), "step " + i);
    }
    return run.replay;
  }

  private void step(Step step, String where) {
    Outcome our = step.action().on(ours);
    Outcome right = step.action().on(exact);
    // Recorded outcomes are those of the single-threaded tree in both kinds of file.
    Outcome modelled = step.action().on(single);
    all.subList(3, all.size()).forEach(step.action()::on);
    String text = where + ": recorded=" + step.result() + ", ours=" + our;
    if (our != right) {
      replay.fault(where + ": exact=" + right + ", ours=" + our);
    } else if (our != step.result()) {
      judge(modelled == step.result(), single.anyForeign() ? FOREIGN_HASH : SHARED_STATE, text);
    }
    for (Query query : step.queries()) {
      query(query, where + " query " + query.locals());
    }
  }

  private void query(Query query, String where) {
    SortedMap<WorkerWithDpRank, Integer> our = ours.find(query.locals());
    SortedMap<WorkerWithDpRank, Integer> right = exact.find(query.locals());
    if (!our.equals(right)) {
      replay.fault(where + ": exact=" + right + ", ours=" + our);
    } else if (!our.equals(query.scores())) {
      boolean known = query.scores().equals(peer.find(query.locals()));
      judge(known, ruleOf(query, right), where + ": recorded=" + query.scores() + ", ours=" + our);
    }
    if (query.singleScores() != null
        && !query.singleScores().equals(single.find(query.locals()))
        && !query.singleScores().equals(right)) {
      replay.fault(where + ": recorded of the single tree=" + query.singleScores());
    }
  }

  /** Returns the rule that explains why the peer does not give the right answer. */
  private String ruleOf(Query query, SortedMap<WorkerWithDpRank, Integer> right) {
    SortedMap<WorkerWithDpRank, Integer> wrong = peer.find(query.locals());
    if (!withoutCounting.find(query.locals()).equals(wrong)) {
      return HOLDERS_COUNTED;
    }
    if (!withoutDropping.find(query.locals()).equals(wrong)) {
      return FOREIGN_HASH;
    }
    Set<WorkerWithDpRank> ranks = new HashSet<>(right.keySet());
    ranks.addAll(wrong.keySet());
    ranks.removeIf(rank -> right.getOrDefault(rank, 0).equals(wrong.getOrDefault(rank, 0)));
    return ranks.stream().anyMatch(peer::isForeign) ? FOREIGN_HASH : SHARED_STATE;
  }

  private void judge(boolean known, String rule, String text) {
    if (known) {
      replay.deviation(rule, text);
    } else {
      replay.fault(text);
    }
  }
}
