// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.wire;

import io.dynamo4j.wire.RouterLeaseMessage.Lease;
import io.dynamo4j.wire.RouterLeaseMessage.Snapshot;
import io.dynamo4j.wire.RouterLeaseMessage.SnapshotRequest;
import io.dynamo4j.wire.WireFormatException.Reason;
import java.util.List;

/**
 * The payload of {@link RouterLeaseMessage}s: one named MessagePack map, told apart by {@code
 * kind}. Read is any order; keys that are not known are passed over.
 *
 * <p><b>Threads.</b> Stateless.
 */
public final class RouterLeaseCodec {
  /** The topic's name; no topic of Dynamo. */
  public static final String TOPIC = "active_sequences_leases";

  private static final int EXPECTED_BYTES = 192;
  private static final WireNames KEYS =
      WireNames.of(
          "kind",
          "lease",
          "snapshot",
          "snapshot_request",
          "router_id",
          "publisher_id",
          "next_sequence",
          "digest",
          "bookings",
          "lease_ms",
          "owner_id",
          "everybody",
          "part",
          "parts",
          "events");

  private RouterLeaseCodec() {}

  public static byte[] encode(RouterLeaseMessage message) {
    MsgpackWriter out = MsgpackWriter.ofExpectedSize(EXPECTED_BYTES);
    if (message instanceof Lease lease) {
      out.map(7).string("kind").string("lease");
      out.string("router_id").unsigned(lease.routerId());
      out.string("publisher_id").unsigned(lease.publisherId());
      out.string("next_sequence").unsigned(lease.nextSequence());
      out.string("digest").unsigned(lease.digest());
      out.string("bookings").unsigned(lease.bookings());
      out.string("lease_ms").unsigned(lease.leaseMillis());
    } else if (message instanceof SnapshotRequest request) {
      out.map(4).string("kind").string("snapshot_request");
      out.string("router_id").unsigned(request.routerId());
      out.string("owner_id").unsigned(request.ownerId());
      out.string("everybody").bool(request.everybody());
    } else if (message instanceof Snapshot snapshot) {
      out.map(7).string("kind").string("snapshot");
      out.string("router_id").unsigned(snapshot.routerId());
      out.string("publisher_id").unsigned(snapshot.publisherId());
      out.string("next_sequence").unsigned(snapshot.nextSequence());
      out.string("part").unsigned(snapshot.part());
      out.string("parts").unsigned(snapshot.parts());
      out.string("events");
      ActiveSequenceCodec.write(snapshot.bookings(), out);
    }
    return out.toByteArray();
  }

  /**
   * Reads a message. What cannot be used of a snapshot's bookings makes all of it unusable.
   *
   * @throws WireFormatException if the payload is no such message, or beyond {@link WireLimits}
   */
  public static RouterLeaseMessage decode(byte[] payload) {
    MsgpackReader in = MsgpackReader.of(payload);
    if (payload.length > WireLimits.MAX_FRAME_BYTES) {
      throw in.fault(Reason.TOO_LARGE, "payload bytes " + payload.length);
    }
    in.skip();
    if (in.hasRemaining()) {
      throw in.fault(Reason.TRAILING_BYTES, "payload");
    }
    in.seek(0);
    in.depth();
    return new Decoding(in).read();
  }

  /** One message being read. */
  private static final class Decoding {
    private final MsgpackReader in;
    private String kind = WireNames.OTHER;
    private boolean hasRouter;
    private long routerId;
    private long publisherId;
    private long nextSequence;
    private long digest;
    private long leaseMillis;
    private long ownerId;
    private boolean everybody;
    private int bookings;
    private int part;
    private int parts = 1;
    private List<ActiveSequenceEvent> events = List.of();

    Decoding(MsgpackReader in) {
      this.in = in;
    }

    RouterLeaseMessage read() {
      int entries = in.readMapHeader();
      for (int i = 0; i < entries; i++) {
        readEntry();
      }
      if (!hasRouter || part < 0 || part >= parts || leaseMillis < 0 || bookings < 0) {
        throw in.fault(Reason.MALFORMED, "lease message");
      }
      return switch (kind) {
        case "lease" ->
            new Lease(routerId, publisherId, nextSequence, digest, bookings, leaseMillis);
        case "snapshot_request" -> new SnapshotRequest(routerId, ownerId, everybody);
        case "snapshot" -> new Snapshot(routerId, publisherId, nextSequence, part, parts, events);
        default -> throw in.fault(Reason.MALFORMED, "kind of lease message");
      };
    }

    private void readEntry() {
      switch (in.readName(KEYS)) {
        case "kind" -> kind = in.readName(KEYS);
        case "router_id" -> {
          routerId = in.readBits64();
          hasRouter = true;
        }
        case "publisher_id" -> publisherId = in.readBits64();
        case "next_sequence" -> nextSequence = in.readBits64();
        case "digest" -> digest = in.readBits64();
        case "bookings" -> bookings = in.readBits32();
        case "lease_ms" -> leaseMillis = in.readBits64();
        case "owner_id" -> ownerId = in.readBits64();
        case "everybody" -> everybody = in.readBoolean();
        case "part" -> part = in.readBits32();
        case "parts" -> parts = in.readBits32();
        case "events" -> events = readBookings();
        default -> in.skip();
      }
    }

    private List<ActiveSequenceEvent> readBookings() {
      ActiveSequenceBatch batch = ActiveSequenceCodec.readEvents(in);
      boolean additionsOnly = batch.events().stream().allMatch(event -> event.added() != null);
      if (batch.rejected() > 0 || !additionsOnly) {
        throw in.fault(Reason.MALFORMED, "bookings of a snapshot");
      }
      return batch.events();
    }
  }
}
