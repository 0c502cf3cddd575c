// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.migration;

import com.fasterxml.jackson.databind.JsonNode;
import io.dynamo4j.core.model.CompletionUsage;
import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.FinishReason;
import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.migration.text.TextOptions;
import io.dynamo4j.migration.text.TextOutput;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/** One client: asks, collects, perhaps leaves. One stream for each prompt of its request. */
final class ClientRun {
  private final ClientSetup setup;
  private final Scheduler lane;
  private final List<PreprocessedRequest> requests = new ArrayList<>();
  private final List<Stream> streams = new ArrayList<>();
  private final Map<Integer, StringBuilder> texts = new TreeMap<>();
  private final Map<Integer, List<String>> finishReasons = new TreeMap<>();
  private final List<String> logProbs = new ArrayList<>();
  private final List<String> annotations = new ArrayList<>();
  private Runnable whenOver = () -> {};
  private int pieces;
  private long startedNanos;
  private long leftNanos = Leg.NEVER;
  private boolean leaving;
  private boolean over;

  ClientRun(int number, MigrationCase recorded, Fleet fleet, Scheduler lane) {
    this.setup = recorded.clients().get(number);
    this.lane = lane;
    List<JsonNode> bodies = recorded.requests(setup);
    for (int i = 0; i < bodies.size(); i++) {
      JsonNode body = bodies.get(i);
      requests.add(RequestJson.read("c" + number + "-" + i, body, pin(body, fleet)));
    }
  }

  /** A worker that the request names is the only one that may serve it. */
  private static @Nullable WorkerWithDpRank pin(JsonNode body, Fleet fleet) {
    JsonNode routing = body.path("routing");
    String name =
        routing.path("decode_worker_id").asText(routing.path("backend_instance_id").asText(""));
    if (name.isEmpty()) {
      return null;
    }
    return fleet.rank(name.replaceAll("<iid:(.*)>", "$1"));
  }

  List<PreprocessedRequest> requests() {
    return List.copyOf(requests);
  }

  ClientSetup setup() {
    return setup;
  }

  long startedNanos() {
    return startedNanos;
  }

  /** Returns when the client left, or {@link Leg#NEVER}. */
  long leftNanos() {
    return leftNanos;
  }

  void whenOver(Runnable action) {
    whenOver = action;
  }

  void start(Gateway gateway) {
    startedNanos = lane.clock().nanoTime();
    if (setup.isMalformed()) {
      over = true;
      whenOver.run();
      return;
    }
    if (setup.timeoutNanos() > 0) {
      lane.schedule(this::leave, setup.timeoutNanos());
    }
    for (int i = 0; i < requests.size(); i++) {
      TextOptions.Builder options = TextOptions.of(requests.get(i)).toBuilder();
      RecordedAnswer.annotations(setup.recorded()).forEach(each -> options.annotation(each, each));
      Stream stream = new Stream(i * requests.get(i).samplingOptions().n());
      streams.add(stream);
      gateway.answer(requests.get(i), options.build()).subscribe(stream);
    }
  }

  private void leave() {
    if (!over) {
      over = true;
      leftNanos = lane.clock().nanoTime();
      streams.forEach(Stream::cancel);
      whenOver.run();
    }
  }

  private void streamEnded() {
    if (!over && streams.stream().allMatch(each -> each.ended)) {
      over = true;
      whenOver.run();
    }
  }

  private void take(TextOutput<LLMEngineOutput> output, int choice) {
    annotations.addAll(output.annotations().keySet());
    if (output.finishReason() != null) {
      finishReasons
          .computeIfAbsent(choice, key -> new ArrayList<>())
          .add(apiName(output.finishReason()));
    }
    if (choice == 0 && output.item() != null) {
      double[] each = output.item().logProbs();
      for (int i = 0; i < output.tokenIds().length() && i < each.length; i++) {
        logProbs.add(rounded(each[i]));
      }
    }
    if (!output.text().isEmpty()) {
      texts.computeIfAbsent(choice, key -> new StringBuilder()).append(output.text());
      if (++pieces == setup.leavesAfter()) {
        leaving = true;
        lane.schedule(this::leave, setup.leavingNanos());
      }
    }
  }

  static String rounded(double logProb) {
    return String.format(Locale.ROOT, "%.4f", logProb);
  }

  /** Returns a finish reason as OpenAI's interface names it. */
  static String apiName(FinishReason reason) {
    return reason == FinishReason.EOS ? FinishReason.STOP.wireName() : reason.wireName();
  }

  Answer answer() {
    Map<Integer, String> whole = new TreeMap<>();
    texts.forEach((choice, text) -> whole.put(choice, text.toString()));
    return new Answer(
        end(),
        Collections.unmodifiableMap(whole),
        Collections.unmodifiableMap(finishReasons),
        usage(),
        logProbs,
        annotations);
  }

  private String end() {
    if (setup.isMalformed()) {
      return Answer.failed(400);
    }
    if (leftNanos != Leg.NEVER) {
      return Answer.LEFT;
    }
    for (Stream stream : streams) {
      if (stream.failure != null) {
        return Answer.failed(ErrorCodes.of(stream.failure.errorType()));
      }
    }
    return over ? Answer.COMPLETED : Answer.HANGING;
  }

  /** A stream leaves pieces out that show nothing. */
  private boolean counts(TextOutput<LLMEngineOutput> output) {
    return !setup.isStreamed() || !output.text().isEmpty() || output.finishReason() != null;
  }

  /** Returns how many tokens the client got. */
  long outputTokens() {
    return streams.stream().mapToLong(each -> each.outputTokens).sum();
  }

  /** Returns how many of its streams it saw the end of. */
  long ends() {
    return streams.stream().filter(each -> each.ended).count();
  }

  private @Nullable CompletionUsage usage() {
    CompletionUsage sum = null;
    for (Stream stream : streams) {
      CompletionUsage each = stream.usage;
      if (each != null) {
        sum =
            sum == null
                ? each
                : new CompletionUsage(
                    sum.promptTokens() + each.promptTokens(),
                    sum.completionTokens() + each.completionTokens(),
                    CompletionUsage.UNKNOWN);
      }
    }
    return sum;
  }

  /** The answer to one prompt. */
  private final class Stream implements Flow.Subscriber<TextOutput<LLMEngineOutput>> {
    private final int firstChoice;
    private Flow.@Nullable Subscription subscription;
    private @Nullable CompletionUsage usage;
    private long outputTokens;
    private @Nullable DynamoException failure;
    private boolean ended;

    Stream(int firstChoice) {
      this.firstChoice = firstChoice;
    }

    void cancel() {
      if (subscription != null) {
        subscription.cancel();
      }
    }

    @Override
    public void onSubscribe(Flow.Subscription newSubscription) {
      subscription = newSubscription;
      newSubscription.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(TextOutput<LLMEngineOutput> output) {
      if (!over && !leaving) {
        usage = output.usage();
        outputTokens += counts(output) ? output.tokenIds().length() : 0;
        take(output, firstChoice + output.index());
      }
    }

    @Override
    public void onError(Throwable error) {
      if (!(error instanceof DynamoException typed)) {
        throw new IllegalStateException("stream failed with a foreign error", error);
      }
      failure = typed;
      ended = true;
      streamEnded();
    }

    @Override
    public void onComplete() {
      ended = true;
      streamEnded();
    }
  }
}
