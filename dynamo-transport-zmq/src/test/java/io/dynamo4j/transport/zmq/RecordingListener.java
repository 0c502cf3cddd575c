// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.zmq;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Keeps what a source reports, as text. */
final class RecordingListener implements EngineEventListener {
  final List<String> told = new CopyOnWriteArrayList<>();
  final List<byte[]> payloads = new CopyOnWriteArrayList<>();

  @Override
  public void batch(int dpRank, long sequence, byte[] payload) {
    payloads.add(payload);
    told.add(dpRank + ":" + sequence + new String(payload, StandardCharsets.UTF_8));
  }

  @Override
  public void restarted(int dpRank) {
    told.add(dpRank + ":restart");
  }

  @Override
  public void lost(int dpRank, long first, long last) {
    told.add(dpRank + ":lost " + first + "-" + last);
  }
}
