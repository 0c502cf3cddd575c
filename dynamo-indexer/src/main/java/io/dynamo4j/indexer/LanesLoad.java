// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer;

import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.model.WorkerWithDpRank;
import java.util.concurrent.CompletionStage;

/** A load over the lanes of a {@link TreeIndexer}. */
final class LanesLoad implements IndexLoad {
  private final TreeIndexer index;
  private final LaneTable lanes;
  private final LaneLoad[] parts;
  private boolean ended;

  LanesLoad(TreeIndexer index, LaneTable lanes) {
    this.index = index;
    this.lanes = lanes;
    this.parts = new LaneLoad[lanes.size()];
    for (int i = 0; i < parts.length; i++) {
      parts[i] = LaneLoad.of(lanes.lane(i).newContent());
      lanes.lane(i).add(new IndexUpdate.LoadBegun(parts[i]));
    }
  }

  @Override
  public boolean submit(RouterEvent event) {
    int at = lanes.indexOf(event.workerId());
    IndexLane lane = lanes.lane(at);
    return !lane.isClosed() && lane.offer(new IndexUpdate.Loaded(parts[at], event));
  }

  @Override
  public void expect(WorkerWithDpRank worker, long blocks) {
    int at = lanes.indexOf(worker.workerId());
    lanes.lane(at).add(new IndexUpdate.LoadExpected(parts[at], worker, blocks));
  }

  @Override
  public CompletionStage<Void> commit() {
    end(true);
    return index.flush();
  }

  @Override
  public void abandon() {
    end(false);
  }

  private void end(boolean isRight) {
    if (!ended) {
      ended = true;
      for (int i = 0; i < parts.length; i++) {
        lanes.lane(i).add(new IndexUpdate.LoadEnded(parts[i], isRight));
      }
    }
  }
}
