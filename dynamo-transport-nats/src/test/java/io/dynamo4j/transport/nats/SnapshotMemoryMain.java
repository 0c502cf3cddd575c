// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.nats;

import io.dynamo4j.core.runtime.RealEnvironment;
import io.dynamo4j.plane.SnapshotCopy;
import io.dynamo4j.plane.SnapshotUpload;
import java.io.IOException;
import java.io.InputStream;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;

/** Stores a snapshot that is larger than the heap, and reads it back. */
final class SnapshotMemoryMain {
  private static final int PIECE_BYTES = 1 << 16;
  private static final int PIECES = 1_024;

  private SnapshotMemoryMain() {}

  /** Takes the server's URL; says whether what came back is what was stored. */
  public static void main(String[] arguments) throws Exception {
    try (RealEnvironment lanes = RealEnvironment.create();
        NatsTransport transport =
            NatsTransport.create(
                lanes.environment(),
                NatsOptions.fromEnvironment(Map.of("NATS_SERVER", arguments[0])));
        NatsSnapshotStore store =
            NatsSnapshotStore.open(
                transport,
                DurableStreamConfig.builder("memory", "backend")
                    .requestTimeout(NatsRun.PATIENCE)
                    .build())) {
      SnapshotUpload upload = store.create("large");
      CRC32C written = new CRC32C();
      SplittableRandom random = new SplittableRandom(5);
      byte[] piece = new byte[PIECE_BYTES];
      for (int i = 0; i < PIECES; i++) {
        random.nextBytes(piece);
        written.update(piece);
        upload.output().write(piece);
      }
      upload.commit().toCompletableFuture().get(2, TimeUnit.MINUTES);
      try (SnapshotCopy copy = store.get("large").toCompletableFuture().get(2, TimeUnit.MINUTES)) {
        System.out.println("equal=" + (checksum(copy) == written.getValue()));
      }
    }
  }

  private static long checksum(SnapshotCopy copy) throws IOException {
    CRC32C read = new CRC32C();
    byte[] piece = new byte[PIECE_BYTES];
    try (InputStream in = copy.open()) {
      for (int count = in.read(piece); count >= 0; count = in.read(piece)) {
        read.update(piece, 0, count);
      }
    }
    return read.getValue();
  }
}
