// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.FinishReason;
import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.testkit.script.WorkerScript;
import java.util.List;

/** One thing that a drawn worker does, in a form that the model can walk through. */
sealed interface Act {

  record Open() implements Act {}

  record Tokens(int count) implements Act {}

  /** An item without tokens. */
  record Note() implements Act {}

  record Pause(long nanos) implements Act {}

  record Finish(int count, FinishReason reason) implements Act {}

  record Fail(ErrorType type) implements Act {}

  record Complete() implements Act {}

  static WorkerScript script(List<Act> acts, boolean deaf) {
    WorkerScript script = WorkerScript.start();
    for (Act act : acts) {
      script = append(script, act);
    }
    return deaf ? script.ignoringCancel() : script;
  }

  private static WorkerScript append(WorkerScript script, Act act) {
    if (act instanceof Tokens tokens) {
      return script.chunk(tokens.count());
    } else if (act instanceof Pause pause) {
      return script.pauseNanos(pause.nanos());
    } else if (act instanceof Finish finish) {
      return script.chunk(finish.count(), finish.reason());
    } else if (act instanceof Fail fail) {
      return script.fail(fail.type());
    } else if (act instanceof Note) {
      return script.item(LLMEngineOutput.of(TokenSlice.empty()));
    } else if (act instanceof Complete) {
      return script.complete();
    }
    return script.opening();
  }
}
