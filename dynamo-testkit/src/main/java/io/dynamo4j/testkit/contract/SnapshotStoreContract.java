// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.plane.DurableLogException.Reason;
import io.dynamo4j.plane.SnapshotCopy;
import io.dynamo4j.plane.SnapshotPieces;
import io.dynamo4j.plane.SnapshotStore;
import io.dynamo4j.plane.SnapshotUpload;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What every {@link SnapshotStore} must do. Each test has a store of its own, empty. */
public abstract class SnapshotStoreContract {

  /** Returns fresh lanes; closed by the test. */
  protected abstract LaneHarness newHarness();

  /** Opens a client of the test's store, which is made by the first; closed by the test. */
  protected abstract SnapshotStore open(Environment environment);

  private Run run() {
    return new Run();
  }

  @Test
  public void shouldKeepWhatWasCommittedForEveryClient() throws IOException {
    try (Run run = run()) {
      run.put("b", bytes("two"));
      run.put("a", bytes("one"));
      SnapshotStore other = run.open();
      assertThat(run.value(other.list())).containsExactly("a", "b");
      assertThat(run.get(other, "a")).isEqualTo(bytes("one"));
      assertThat(run.get(other, "b")).isEqualTo(bytes("two"));
    }
  }

  @Test
  public void shouldKeepBytesOfAnyLength() throws IOException {
    try (Run run = run()) {
      byte[] large = new byte[3_000_001];
      for (int i = 0; i < large.length; i++) {
        large[i] = (byte) (i * 31 + i / 1_000);
      }
      run.put("large", large);
      assertThat(run.get(run.store, "large")).isEqualTo(large);
      run.put("empty", new byte[0]);
      assertThat(run.get(run.store, "empty")).isEmpty();
    }
  }

  @Test
  public void shouldShowNothingBeforeCommit() throws IOException {
    try (Run run = run()) {
      SnapshotUpload upload = run.store.create("half");
      upload.output().write(bytes("half of it"));
      assertThat(run.value(run.store.list())).isEmpty();
      assertThat(run.failure(run.store.get("half")).reason()).isEqualTo(Reason.NOT_FOUND);
      upload.abort();
      upload.abort();
      assertThat(run.failure(upload.commit()).reason()).isEqualTo(Reason.CLOSED);
      assertThat(run.value(run.store.list())).isEmpty();
    }
  }

  @Test
  public void shouldReplaceAndDelete() throws IOException {
    try (Run run = run()) {
      run.put("a", bytes("old"));
      run.put("a", bytes("new"));
      assertThat(run.get(run.store, "a")).isEqualTo(bytes("new"));
      run.done(run.store.delete("a"));
      run.done(run.store.delete("a"));
      assertThat(run.value(run.store.list())).isEmpty();
      assertThat(run.failure(run.store.get("a")).reason()).isEqualTo(Reason.NOT_FOUND);
    }
  }

  @Test
  public void shouldOpenCopyAsOftenAsWanted() throws IOException {
    try (Run run = run()) {
      run.put("a", bytes("content"));
      try (SnapshotCopy copy = run.value(run.store.get("a"))) {
        run.done(run.store.delete("a"));
        for (int i = 0; i < 2; i++) {
          try (InputStream in = copy.open()) {
            assertThat(in.readAllBytes()).isEqualTo(bytes("content"));
          }
        }
      }
    }
  }

  @Test
  public void shouldHandOutPiecesThatAreTheWhole() throws IOException {
    try (Run run = run()) {
      byte[] large = new byte[3_000_001];
      for (int i = 0; i < large.length; i++) {
        large[i] = (byte) (i * 31 + i / 1_000);
      }
      run.put("large", large);
      run.put("empty", new byte[0]);
      assertThat(run.read("large")).isEqualTo(large);
      assertThat(run.read("empty")).isEmpty();
      try (SnapshotPieces none = run.store.read("none")) {
        assertThat(run.failure(none.next()).reason()).isEqualTo(Reason.NOT_FOUND);
      }
    }
  }

  @Test
  public void shouldServeOthersWhileSomeoneStopsReading() throws IOException {
    try (Run run = run()) {
      byte[] large = new byte[6_000_000];
      run.put("large", large);
      try (SnapshotPieces slow = run.store.read("large")) {
        assertThat(run.value(slow.next())).isPresent();
        assertThat(slow.totalBytes()).isEqualTo(large.length);
        assertThat(run.value(run.store.list())).containsExactly("large");
        assertThat(run.read("large")).isEqualTo(large);
      }
      assertThat(run.get(run.store, "large")).isEqualTo(large);
    }
  }

  @Test
  public void shouldRefuseEverythingOnceClosed() {
    try (Run run = run()) {
      run.store.close();
      run.store.close();
      assertThat(run.failure(run.store.list()).reason()).isEqualTo(Reason.CLOSED);
      assertThat(run.failure(run.store.get("a")).reason()).isEqualTo(Reason.CLOSED);
      assertThat(run.failure(run.store.read("a").next()).reason()).isEqualTo(Reason.CLOSED);
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private final class Run extends StorageRun {
    final SnapshotStore store;
    private final List<SnapshotStore> clients = new ArrayList<>();

    Run() {
      super(newHarness(), 1);
      this.store = open();
    }

    SnapshotStore open() {
      SnapshotStore client = SnapshotStoreContract.this.open(environment());
      clients.add(client);
      return client;
    }

    void put(String name, byte[] content) throws IOException {
      SnapshotUpload upload = store.create(name);
      upload.output().write(content);
      done(upload.commit());
    }

    byte[] get(SnapshotStore from, String name) throws IOException {
      try (SnapshotCopy copy = value(from.get(name));
          InputStream in = copy.open()) {
        return in.readAllBytes();
      }
    }

    byte[] read(String name) throws IOException {
      ByteArrayOutputStream all = new ByteArrayOutputStream();
      try (SnapshotPieces pieces = store.read(name)) {
        for (Optional<byte[]> next = value(pieces.next());
            next.isPresent();
            next = value(pieces.next())) {
          assertThat(next.get()).isNotEmpty();
          all.write(next.get());
        }
        assertThat(pieces.totalBytes()).isEqualTo(all.size());
      }
      return all.toByteArray();
    }

    @Override
    public void close() {
      clients.forEach(SnapshotStore::close);
      super.close();
    }
  }
}
