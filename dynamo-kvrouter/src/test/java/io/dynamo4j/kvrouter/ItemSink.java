// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.plane.ResponseSink;
import java.util.function.UnaryOperator;

/** Changes the items that a worker sends. */
record ItemSink(ResponseSink<LLMEngineOutput> sink, UnaryOperator<LLMEngineOutput> change)
    implements ResponseSink<LLMEngineOutput> {
  @Override
  public void onCancel(Runnable action) {
    sink.onCancel(action);
  }

  @Override
  public void open() {
    sink.open();
  }

  @Override
  public boolean next(LLMEngineOutput item) {
    return sink.next(change.apply(item));
  }

  @Override
  public void complete() {
    sink.complete();
  }

  @Override
  public void fail(DynamoException error) {
    sink.fail(error);
  }
}
