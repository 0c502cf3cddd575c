// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.engine;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.FinishReason;
import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.plane.ResponseSink;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes down one stream and refuses what must not happen in it. */
final class RecordingSink implements ResponseSink<LLMEngineOutput> {
  final List<Integer> tokens = new ArrayList<>();
  final List<Integer> frameSizes = new ArrayList<>();
  boolean isOpen;
  boolean isComplete;
  @Nullable DynamoException error;
  @Nullable FinishReason finishReason;
  private @Nullable Runnable cancelAction;
  private boolean isGone;

  /** The client goes away. */
  void cancel() {
    isGone = true;
    if (cancelAction != null) {
      cancelAction.run();
    }
  }

  /** The client is gone without the engine being told: the next frame shows it. */
  void disappear() {
    isGone = true;
  }

  int[] tokenArray() {
    return tokens.stream().mapToInt(Integer::intValue).toArray();
  }

  boolean isOver() {
    return isComplete || error != null;
  }

  @Override
  public void onCancel(Runnable action) {
    cancelAction = action;
  }

  @Override
  public void open() {
    check(!isOpen && !isOver(), "opened twice or after its end");
    isOpen = true;
  }

  @Override
  public boolean next(LLMEngineOutput item) {
    check(isOpen && !isOver(), "item outside of the open stream");
    check(finishReason == null, "item after the finish reason");
    if (isGone) {
      return false;
    }
    frameSizes.add(item.tokenIds().length());
    for (int token : item.tokenIds().toArray()) {
      tokens.add(token);
    }
    finishReason = item.finishReason();
    return true;
  }

  @Override
  public void complete() {
    check(!isOver(), "second terminal signal");
    check(isGone || finishReason != null, "completed without a finish reason");
    isComplete = true;
  }

  @Override
  public void fail(DynamoException error) {
    check(!isOver(), "second terminal signal");
    this.error = error;
  }

  private static void check(boolean condition, String what) {
    if (!condition) {
      throw new IllegalStateException(what);
    }
  }
}
