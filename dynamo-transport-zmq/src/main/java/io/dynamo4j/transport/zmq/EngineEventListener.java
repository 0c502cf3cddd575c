// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.zmq;

/**
 * Receives what an engine publishes, on the lane that was given with it.
 *
 * <p>For each rank: every batch once, in order of its number, between {@link #restarted} calls; a
 * number that is missing has been reported to {@link #lost} before. What it throws costs that
 * report only and goes to the lane's failure handler.
 */
public interface EngineEventListener {

  /**
   * A batch of events.
   *
   * @param dpRank the rank whose socket it came from; the batch itself may name another
   * @param sequence the engine's number of the batch, unsigned
   * @param payload MessagePack, as an {@code EngineEventNormalizer} takes it; not to be modified
   */
  void batch(int dpRank, long sequence, byte[] payload);

  /**
   * The rank's engine was started anew: forget whatever it held. Its first batch follows, perhaps
   * after {@link #lost}.
   */
  default void restarted(int dpRank) {}

  /**
   * Batches that the engine has published and nobody has any more, unsigned and inclusive: blocks
   * removed by them may still count as held, blocks stored by them are unknown.
   */
  default void lost(int dpRank, long first, long last) {}
}
