// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.script;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.FinishReason;
import io.dynamo4j.core.model.LLMEngineOutput;
import java.util.ArrayList;
import java.util.List;

/**
 * What a worker does with one attempt, step by step. A script that ends without an end leaves the
 * stream hanging.
 *
 * <pre>{@code
 * WorkerScript.open().tokens(3).fail(ErrorType.DISCONNECTED)
 * WorkerScript.refuse(ErrorType.CANNOT_CONNECT)
 * WorkerScript.open().pauseNanos(5_000).answer()
 * }</pre>
 *
 * <p>Immutable: every step makes a new script.
 */
public final class WorkerScript {
  private final List<Step> steps;
  private final boolean deaf;

  private WorkerScript(List<Step> steps, boolean deaf) {
    this.steps = steps;
    this.deaf = deaf;
  }

  /** Starts with nothing; the stream opens with its first item, or not at all. */
  public static WorkerScript start() {
    return new WorkerScript(List.of(), false);
  }

  /** Opens the stream. */
  public WorkerScript opening() {
    return then(new Step.Open());
  }

  /** Starts by opening the stream. */
  public static WorkerScript open() {
    return start().opening();
  }

  /** Fails before the stream opens. */
  public static WorkerScript refuse(ErrorType type) {
    return start().fail(type);
  }

  /** Sends so many items of one generated token. */
  public WorkerScript tokens(int count) {
    WorkerScript script = this;
    for (int i = 0; i < count; i++) {
      script = script.chunk(1);
    }
    return script;
  }

  /** Sends one item of so many generated tokens. */
  public WorkerScript chunk(int count) {
    return then(new Step.Chunk(count, null));
  }

  /** Sends one item of so many generated tokens that also ends the answer. */
  public WorkerScript chunk(int count, FinishReason reason) {
    return then(new Step.Chunk(count, reason));
  }

  /** Sends an item as it is. */
  public WorkerScript item(LLMEngineOutput item) {
    return then(new Step.Item(item));
  }

  /** Sends a finish reason without tokens. */
  public WorkerScript finish(FinishReason reason) {
    return chunk(0, reason);
  }

  /**
   * Generates what the request allows, token by token, finishes with {@code LENGTH} and ends the
   * stream; 16 tokens where the request sets no budget.
   */
  public WorkerScript answer() {
    return then(new Step.Answer(Integer.MAX_VALUE)).complete();
  }

  /** Does the same with at most so many tokens, but leaves the stream open. */
  public WorkerScript answerUpTo(int tokens) {
    return then(new Step.Answer(tokens));
  }

  /** Waits before the next step. */
  public WorkerScript pauseNanos(long nanos) {
    return then(new Step.Pause(nanos));
  }

  /** Ends the stream. */
  public WorkerScript complete() {
    return then(new Step.Complete());
  }

  /** Fails the stream. */
  public WorkerScript fail(ErrorType type) {
    return then(new Step.Fail(new DynamoException(type, "scripted: type=" + type)));
  }

  /** Fails the stream. */
  public WorkerScript fail(Throwable error) {
    return then(new Step.Fail(error));
  }

  /** Makes the worker go on after a cancel, as one that has not heard of it yet. */
  public WorkerScript ignoringCancel() {
    return new WorkerScript(steps, true);
  }

  List<Step> steps() {
    return steps;
  }

  boolean isDeaf() {
    return deaf;
  }

  private WorkerScript then(Step step) {
    List<Step> longer = new ArrayList<>(steps);
    longer.add(step);
    return new WorkerScript(List.copyOf(longer), deaf);
  }

  @Override
  public String toString() {
    return steps + (deaf ? " ignoring cancel" : "");
  }
}
