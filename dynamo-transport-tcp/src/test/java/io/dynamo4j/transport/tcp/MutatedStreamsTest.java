// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.testing.AllocationMeter;
import io.dynamo4j.core.testing.Mutations;
import io.dynamo4j.wire.GenerateItemCodec;
import io.dynamo4j.wire.GenerateRequestCodec;
import io.dynamo4j.wire.PayloadFormat;
import io.dynamo4j.wire.PeerError;
import io.dynamo4j.wire.PeerFailureException;
import io.dynamo4j.wire.RequestControl;
import io.dynamo4j.wire.ResponseControl;
import io.dynamo4j.wire.ResponseItem;
import io.dynamo4j.wire.TcpRequestFrame;
import io.dynamo4j.wire.TwoPartFrame;
import io.dynamo4j.wire.WireFormatException;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandler;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.DecoderException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * Recorded connections of Dynamo's request plane with one frame changed, in pieces as sockets cut
 * them: whatever comes is read, waited for, or refused with a reason, what stood before is read,
 * and nothing makes more memory than it has bytes for.
 */
class MutatedStreamsTest {
  private static final int MUTATIONS = Mutations.count(8_000);
  private static final int MAX_MESSAGE = 1 << 20;

  /** Of one connection, whose bytes are a few thousand; pools take some before they are warm. */
  private static final long MAX_ALLOCATED = 16L << 20;

  private static final String READ = "read";

  private final Mutations mutations = Mutations.seeded(20_261_130);
  private final AllocationMeter meter = AllocationMeter.create();
  private final Map<String, Integer> outcomes = new TreeMap<>();
  private String outcome = READ;
  private int framesRead;
  private boolean workerFailed;

  /** Reads a frame as the plane does. */
  private interface Reader {
    void read(Object frame);
  }

  @Test
  void shouldSurviveMutatedRequests() throws IOException {
    List<byte[]> requests = requests();
    for (int i = 0; i < MUTATIONS; i++) {
      List<byte[]> frames = List.of(any(requests), any(requests), any(requests));
      play(new RequestDecoder(MAX_MESSAGE), frames, MutatedStreamsTest::readRequest);
    }
    requireOutcomes(READ, "waits", "MALFORMED", "TRUNCATED", "too large");
  }

  /** Returns the requests that can be read: some were recorded because they cannot. */
  private static List<byte[]> requests() throws IOException {
    List<byte[]> requests = new ArrayList<>();
    RecordedCall.all().forEach(call -> requests.add(call.request()));
    requests.removeIf(
        request -> {
          try {
            readRequest(request);
            return false;
          } catch (WireFormatException refused) {
            return true;
          }
        });
    assertThat(requests).hasSizeGreaterThan(150);
    return requests;
  }

  private static void readRequest(Object frame) {
    TwoPartFrame payload = TcpRequestFrame.decode((byte[]) frame).payload();
    RequestControl control = RequestControl.decode(payload.header());
    GenerateRequestCodec.decode(control.requestId(), 1, control.format().toMsgpack(payload.body()));
  }

  @Test
  void shouldAnswerMutatedRequestsInWords() throws IOException {
    List<byte[]> requests = requests();
    RequestIntake intake = new RequestIntake(TcpOptions.ofDefaults());
    for (int i = 0; i < MUTATIONS / 4; i++) {
      EmbeddedChannel worker = new EmbeddedChannel(intake.newHandlers());
      byte[] right = any(requests);
      worker.writeInbound(Unpooled.wrappedBuffer(right));
      worker.writeInbound(Unpooled.wrappedBuffer(mutations.of(right, any(requests))));
      EmbeddedChannel caller = new EmbeddedChannel(new AckDecoder());
      for (Object reply = worker.readOutbound(); reply != null; reply = worker.readOutbound()) {
        caller.writeInbound(reply);
      }
      String first = caller.readInbound();
      assertThat(first).startsWith("Server unavailable: unknown endpoint");
      for (String next = caller.readInbound(); next != null; next = caller.readInbound()) {
        assertThat(next).containsPattern("^(Server unavailable|Read error): ");
      }
      release(worker);
      release(caller);
    }
  }

  @Test
  void shouldSurviveMutatedReplies() throws IOException {
    List<byte[]> replies = new ArrayList<>();
    RecordedCall.all().forEach(call -> replies.add(call.reply()));
    replies.removeIf(reply -> reply.length == 0);
    assertThat(replies).hasSizeGreaterThan(150);
    for (int i = 0; i < MUTATIONS; i++) {
      List<byte[]> frames = List.of(any(replies), any(replies), any(replies));
      play(new AckDecoder(), frames, reply -> assertThat(reply).isInstanceOf(String.class));
    }
    requireOutcomes(READ, "waits", "TOO_LARGE");
  }

  @Test
  void shouldSurviveMutatedAnswers() throws IOException {
    List<RecordedCall> calls = new ArrayList<>(RecordedCall.all());
    calls.removeIf(call -> call.answer().size() < 3 || !isReadable(call));
    assertThat(calls).hasSizeGreaterThan(150);
    assertThat(calls).anyMatch(call -> call.format() == PayloadFormat.JSON);
    for (int i = 0; i < MUTATIONS; i++) {
      RecordedCall call = calls.get(mutations.nextInt(calls.size()));
      play(new FrameDecoder(MAX_MESSAGE), call.answer(), new AnswerReader(call.format())::read);
    }
    requireOutcomes(READ, "waits", "MALFORMED", "TRUNCATED", "TOO_LARGE", "worker's error");
  }

  private static boolean isReadable(RecordedCall call) {
    AnswerReader reader = new AnswerReader(call.format());
    try {
      call.answer().forEach(frame -> readUnlessFailed(reader, TwoPartFrame.decode(frame)));
      return true;
    } catch (WireFormatException refused) {
      return false;
    }
  }

  private static void readUnlessFailed(AnswerReader reader, TwoPartFrame frame) {
    try {
      reader.read(frame);
    } catch (PeerFailureException saidByWorker) {
      assertThat(saidByWorker.errorType()).isNotNull();
    }
  }

  /** Reads what a worker's connection says, in its order. */
  private static final class AnswerReader {
    private final PayloadFormat format;
    private int controls;

    AnswerReader(PayloadFormat format) {
      this.format = format;
    }

    void read(Object received) {
      TwoPartFrame frame = (TwoPartFrame) received;
      if (frame.header().length == 0) {
        ResponseItem item = ResponseItem.decode(format.toMsgpack(frame.body()));
        if (item.hasData()) {
          GenerateItemCodec.decode(item.bytes(), item.dataStart(), item.dataEnd());
        }
        return;
      }
      switch (controls++) {
        case 0 -> ResponseControl.readHandshake(frame.header());
        case 1 -> {
          PeerError refusal = ResponseControl.readPrologue(frame.header());
          if (refusal != null) {
            assertThat(refusal.safeMessage()).hasSizeLessThan(1_000);
          }
        }
        default -> ResponseControl.readWord(frame.header());
      }
    }
  }

  /* --------------- One connection --------------- */

  /** Sends frames of which one is changed, in pieces, and counts what becomes of the connection. */
  private void play(ChannelHandler decoder, List<byte[]> frames, Reader reader) {
    int changed = mutations.nextInt(frames.size());
    List<byte[]> sent = new ArrayList<>(frames);
    sent.set(changed, mutations.of(frames.get(changed), any(frames)));
    framesRead = 0;
    workerFailed = false;
    EmbeddedChannel channel = new EmbeddedChannel(decoder);
    long allocated = meter.bytesOfOneRun(() -> send(channel, joined(sent), reader));
    if (outcome.equals(READ)) {
      outcome = workerFailed ? "worker's error" : framesRead < frames.size() ? "waits" : READ;
    }
    outcomes.merge(outcome, 1, Integer::sum);
    release(channel);
    assertThat(framesRead)
        .as("frames before the changed one, then %s", outcome)
        .isGreaterThanOrEqualTo(changed);
    assertThat(allocated).as(outcome).isLessThan(MAX_ALLOCATED);
  }

  private static void release(EmbeddedChannel channel) {
    try {
      channel.finishAndReleaseAll();
    } catch (DecoderException refusedAgain) {
      reasonOf(refusedAgain);
    }
  }

  private void send(EmbeddedChannel channel, byte[] stream, Reader reader) {
    outcome = READ;
    for (int at = 0; at < stream.length && outcome.equals(READ); ) {
      int end = Math.min(stream.length, at + 1 + mutations.nextInt(stream.length));
      try {
        channel.writeInbound(Unpooled.wrappedBuffer(stream, at, end - at));
      } catch (DecoderException refused) {
        outcome = reasonOf(refused);
      }
      at = end;
      readAll(channel, reader);
    }
  }

  private static String reasonOf(DecoderException refused) {
    if (refused.getCause() instanceof WireFormatException fault) {
      return fault.reason().name();
    }
    throw refused;
  }

  /** Reads what has been cut out of the connection's bytes, up to the first fault. */
  private void readAll(EmbeddedChannel channel, Reader reader) {
    for (Object frame = channel.readInbound(); frame != null; frame = channel.readInbound()) {
      if (frame instanceof RequestDecoder.TooLarge) {
        outcome = "too large";
        return;
      }
      try {
        reader.read(frame);
      } catch (PeerFailureException saidByWorker) {
        workerFailed = true;
      } catch (WireFormatException refused) {
        outcome = refused.reason().name();
        return;
      }
      framesRead++;
    }
  }

  private byte[] any(List<byte[]> some) {
    return some.get(mutations.nextInt(some.size()));
  }

  private static byte[] joined(List<byte[]> parts) {
    ByteArrayOutputStream joined = new ByteArrayOutputStream();
    parts.forEach(joined::writeBytes);
    return joined.toByteArray();
  }

  /** Requires that every mutation has an outcome, and each of these some. */
  private void requireOutcomes(String... expected) {
    assertThat(outcomes).containsKeys(expected);
    assertThat(outcomes.values().stream().mapToInt(Integer::intValue).sum()).isEqualTo(MUTATIONS);
  }
}
