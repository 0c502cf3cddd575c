// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.blocking;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.dynamo4j.blocking.BlockingResponses;
import io.dynamo4j.blocking.Gate;
import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.core.runtime.RealEnvironment;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class RealThreadBlockingResponsesTest extends BlockingResponsesContract {

  @Override
  BlockingHost newHost() {
    // A stream may still be sending when its lane is closed.
    RealEnvironment environment = RealEnvironment.create((lane, rejected) -> {});
    return new BlockingHost() {
      @Override
      public Environment environment() {
        return environment.environment();
      }

      @Override
      public void runClient(Consumer<Gate> body) {
        body.accept(Gate.over(environment.environment()));
      }

      @Override
      public void close() {
        environment.close();
      }
    };
  }

  @Test
  void shouldCancelAndKeepTheInterruptWhenReaderIsInterrupted() {
    RealEnvironment environment = RealEnvironment.create((lane, rejected) -> {});
    ScriptedStream stream = ScriptedStream.fallingSilent(environment.lane("stream"), 0);
    var responses = BlockingResponses.builder(stream, Gate.over(environment.environment())).open();
    Thread.currentThread().interrupt();
    Throwable thrown = catchThrowable(responses::hasNext);
    assertThat(Thread.interrupted()).isTrue();
    assertThat(((DynamoException) thrown).errorType()).isEqualTo(ErrorType.CANCELLED);
    environment.close(); // runs what the lane has accepted: perhaps a late onSubscribe
    assertThat(stream.cancelled).isTrue();
  }

  @Test
  void shouldWakeTheReaderWhenAnotherThreadCloses() throws Exception {
    try (RealEnvironment environment = RealEnvironment.create()) {
      ScriptedStream stream = ScriptedStream.fallingSilent(environment.lane("stream"), 0);
      var responses =
          BlockingResponses.builder(stream, Gate.over(environment.environment())).open();
      CompletableFuture<Throwable> thrown = new CompletableFuture<>();
      Thread reader = new Thread(() -> thrown.complete(catchThrowable(responses::hasNext)));
      reader.start();
      while (reader.getState() != Thread.State.TIMED_WAITING) {
        Thread.onSpinWait();
      }
      responses.close();
      assertThat(thrown.get(20, TimeUnit.SECONDS)).hasMessage("reader is closed");
    }
  }
}
