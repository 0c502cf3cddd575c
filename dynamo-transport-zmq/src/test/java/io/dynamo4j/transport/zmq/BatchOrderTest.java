// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.zmq;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class BatchOrderTest {
  private final List<String> told = new ArrayList<>();
  private final BatchOrder order = new BatchOrder(new Recorder(), true);
  private final BatchOrder liveOnly = new BatchOrder(new Recorder(), false);

  @Test
  void shouldAskForThePastWhenConnected() {
    order.connected();
    order.live(2, bytes("c"));
    order.replayed(0, bytes("a"));
    order.replayed(1, bytes("b"));
    order.replayed(2, bytes("c"));
    order.replayEnded();
    order.live(3, bytes("d"));
    assertThat(told).containsExactly("ask 0", "0a r", "1b r", "2c r", "end", "3d");
  }

  @Test
  void shouldSkipLiveBatchesThatReplayWasAheadOf() {
    order.connected();
    order.replayed(0, bytes("a"));
    order.replayed(1, bytes("b"));
    order.replayEnded();
    order.live(0, bytes("a"));
    order.live(1, bytes("b"));
    order.live(2, bytes("c"));
    assertThat(told).containsExactly("ask 0", "0a r", "1b r", "end", "2c");
    assertThat(order.repeated()).isEqualTo(2);
  }

  @Test
  void shouldAskForAHoleBeforeWhatIsBehindIt() {
    joined();
    order.live(3, bytes("d"));
    order.live(4, bytes("e"));
    order.replayed(1, bytes("b"));
    order.replayed(2, bytes("c"));
    order.replayed(3, bytes("d"));
    order.replayEnded();
    assertThat(told).containsExactly("ask 1", "1b r", "2c r", "3d r", "end", "4e");
  }

  @Test
  void shouldReportWhatTheRingNoLongerHas() {
    joined();
    order.live(5, bytes("f"));
    order.replayed(3, bytes("d"));
    order.replayed(4, bytes("e"));
    order.replayed(5, bytes("f"));
    order.replayEnded();
    assertThat(told).containsExactly("ask 1", "lost 1-2", "3d r", "4e r", "5f r", "end");
  }

  @Test
  void shouldReportAHoleThatReplayDoesNotFill() {
    joined();
    order.live(3, bytes("d"));
    order.replayEnded();
    assertThat(told).containsExactly("ask 1", "end", "lost 1-2", "3d");
  }

  @Test
  void shouldAskAgainWhenReplayEndsBeforeItsTarget() {
    joined();
    order.live(4, bytes("e"));
    order.replayed(1, bytes("b"));
    order.replayEnded();
    order.replayed(2, bytes("c"));
    order.replayEnded();
    order.replayEnded();
    assertThat(told)
        .containsExactly("ask 1", "1b r", "ask 2", "2c r", "ask 3", "end", "lost 3-3", "4e");
  }

  @Test
  void shouldAskAgainFromAHoleInsideAReplay() {
    joined();
    order.live(5, bytes("f"));
    order.replayed(1, bytes("b"));
    order.replayed(4, bytes("e"));
    order.replayed(2, bytes("c"));
    order.replayed(3, bytes("d"));
    order.replayed(4, bytes("e"));
    order.replayEnded();
    assertThat(told).containsExactly("ask 1", "1b r", "ask 2", "2c r", "3d r", "4e r", "end", "5f");
  }

  @Test
  void shouldTakeANumberThatGoesBackForANewLife() {
    joined();
    order.live(1, bytes("b"));
    order.live(0, bytes("A"));
    order.live(1, bytes("B"));
    assertThat(told).containsExactly("1b", "restart", "0A", "1B");
  }

  @Test
  void shouldAskForTheStartOfANewLife() {
    joined();
    order.live(1, bytes("b"));
    order.live(2, bytes("c"));
    order.live(1, bytes("B"));
    order.replayed(0, bytes("A"));
    order.replayed(1, bytes("B"));
    order.replayEnded();
    assertThat(told).containsExactly("1b", "2c", "restart", "ask 0", "0A r", "1B r", "end");
  }

  @Test
  void shouldGoOnWhenTheLastBatchProvesTheSameLife() {
    joined();
    order.connected();
    order.live(2, bytes("c"));
    order.replayed(0, bytes("a"));
    order.replayed(1, bytes("b"));
    order.replayed(2, bytes("c"));
    order.replayEnded();
    assertThat(told).containsExactly("ask 0", "1b r", "2c r", "end");
  }

  @Test
  void shouldNoticeARestartByOtherBytesUnderTheSameNumber() {
    joined();
    order.connected();
    order.replayed(0, bytes("A"));
    order.replayed(0, bytes("A"));
    order.replayed(1, bytes("B"));
    order.replayEnded();
    assertThat(told).containsExactly("ask 0", "restart", "ask 0", "0A r", "1B r", "end");
  }

  @Test
  void shouldNoticeARestartByARingThatLacksTheLastBatch() {
    joined();
    order.live(1, bytes("b"));
    order.connected();
    order.live(0, bytes("A"));
    order.replayEnded();
    order.replayed(0, bytes("A"));
    order.replayEnded();
    assertThat(told).containsExactly("1b", "ask 1", "restart", "ask 0", "0A r", "end");
  }

  @Test
  void shouldGiveUpOnASilentSocketAndGoOnLive() {
    joined();
    order.live(2, bytes("c"));
    order.replayTimedOut();
    order.replayTimedOut();
    order.live(3, bytes("d"));
    order.replayTimedOut();
    order.live(5, bytes("f"));
    assertThat(told)
        .containsExactly(
            "ask 1", "ask 1", "ask 1", "end", "lost 1-1", "2c", "3d", "lost 4-4", "5f");
    assertThat(order.isDeaf()).isTrue();
    order.connected();
    assertThat(order.isDeaf()).isFalse();
  }

  @Test
  void shouldNoticeARestartByNumbersWhenReplayIsSilent() {
    joined();
    order.live(1, bytes("b"));
    order.connected();
    order.live(0, bytes("A"));
    order.replayTimedOut();
    order.replayTimedOut();
    order.replayTimedOut();
    assertThat(told).containsExactly("1b", "ask 1", "ask 1", "ask 1", "end", "restart", "0A");
  }

  @Test
  void shouldResumeASilentReplayThatHadMadeProgress() {
    order.connected();
    order.replayed(0, bytes("a"));
    for (int i = 1; i < 9; i++) {
      order.replayTimedOut();
      order.replayed(i, bytes("x"));
    }
    order.replayEnded();
    assertThat(told).contains("ask 8", "8x r", "end").doesNotContain("lost 0-0");
  }

  @Test
  void shouldNoticeARestartWhileItReplays() {
    joined();
    order.live(4, bytes("e"));
    order.live(0, bytes("A"));
    order.replayed(0, bytes("A"));
    order.replayEnded();
    assertThat(told).containsExactly("ask 1", "restart", "ask 0", "0A r", "end");
  }

  @Test
  void shouldTellByNumbersAloneWithoutReplay() {
    liveOnly.connected();
    liveOnly.live(2, bytes("c"));
    liveOnly.live(4, bytes("e"));
    liveOnly.connected();
    liveOnly.live(5, bytes("f"));
    liveOnly.live(1, bytes("B"));
    assertThat(told)
        .containsExactly("lost 0-1", "2c", "lost 3-3", "4e", "5f", "restart", "lost 0-0", "1B");
  }

  @Test
  void shouldComeBackFromANumberFarAhead() {
    joined();
    order.live(-2, bytes("bogus"));
    order.replayEnded();
    order.live(1, bytes("b"));
    order.replayed(0, bytes("a"));
    order.replayed(1, bytes("b"));
    order.replayEnded();
    order.live(2, bytes("c"));
    assertThat(told)
        .containsExactly(
            "ask 1",
            "end",
            "lost 1-18446744073709551613",
            "18446744073709551614bogus",
            "restart",
            "ask 0",
            "0a r",
            "1b r",
            "end",
            "2c");
  }

  @Test
  void shouldHoldNoMoreThanItsBoundWhileItReplays() {
    joined();
    for (int i = 2; i < 30_000; i++) {
      order.live(i, bytes("x"));
    }
    assertThat(order.notHeld()).isPositive();
    order.replayEnded();
    assertThat(told).endsWith("16385x");
    order.live(30_000, bytes("x"));
    assertThat(told).endsWith("ask 16386");
  }

  /** Connected, batch 0 seen; nothing told so far. */
  private void joined() {
    order.connected();
    order.replayEnded();
    order.live(0, bytes("a"));
    told.clear();
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private final class Recorder implements BatchOrder.Sink {

    @Override
    public void batch(long sequence, byte[] payload, boolean replayed) {
      told.add(
          Long.toUnsignedString(sequence)
              + new String(payload, StandardCharsets.UTF_8)
              + (replayed ? " r" : ""));
    }

    @Override
    public void restarted() {
      told.add("restart");
    }

    @Override
    public void lost(long first, long last) {
      told.add("lost " + Long.toUnsignedString(first) + "-" + Long.toUnsignedString(last));
    }

    @Override
    public void askReplay(long from) {
      told.add("ask " + Long.toUnsignedString(from));
    }

    @Override
    public void endReplay() {
      told.add("end");
    }
  }
}
