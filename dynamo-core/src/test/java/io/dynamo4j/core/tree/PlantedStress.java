// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.tree;

import io.dynamo4j.core.model.LookupScope;
import io.dynamo4j.core.model.OverlapScores;
import io.dynamo4j.core.model.WorkerWithDpRank;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** The faults that {@link RadixTreeStress} is there to find, planted: jcstress must find them. */
public final class PlantedStress {
  private PlantedStress() {}

  /** A leaf of one block, held by one rank, whose edge is lengthened by hand. */
  abstract static class Leaf {
    private final TreeClock clock = new TreeClock();
    private final RankSlots slots = new RankSlots();
    private final ChildTable children = new ChildTable(1);
    private final OverlapScores out = OverlapScores.create();
    final NodeArena nodes = new NodeArena(HolderForm.STANDARD);
    final BlockArena blocks = new BlockArena();
    final int start = blocks.allocate(4);
    final int node = nodes.create(NodeArena.ROOT, start, 1, 4, true);

    Leaf() {
      slots.take(WorkerWithDpRank.of(1));
      blocks.write(start, new long[] {1}, 0, 1);
      nodes.addChild(NodeArena.ROOT, node);
      nodes.end(node);
      nodes.setMask(node, 0, 1);
      children.add(children.mark(NodeArena.ROOT, 1), node);
    }

    final int find(long... query) {
      new PrefixWalk(clock, slots, nodes, blocks, children)
          .find(query, query.length, LookupScope.all(), out);
      return out.depthOf(WorkerWithDpRank.of(1));
    }
  }

  /** The length is stored before the block that it counts. */
  @JCStressTest
  @State
  @Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "The block is not matched.")
  @Outcome(id = "2", expect = Expect.FORBIDDEN, desc = "What was there before was matched.")
  public static class LengthBeforeContents extends Leaf {
    @Actor
    public void writer() {
      nodes.grow(node, 1);
      blocks.write(start + 1, new long[] {2}, 0, 1);
    }

    @Actor
    public void reader(I_Result result) {
      result.r1 = find(1, 0);
    }
  }
}
