// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration.text;

import io.dynamo4j.core.model.CompletionUsage;
import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.FinishReason;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.core.token.TokenSlice;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * One subscriber of a {@link TextStream}: turns items into outputs.
 *
 * <p>Demand passes straight through, since every item brings one output. Only the outputs that let
 * withheld text go after the stream below has ended are more than that; they wait for demand of
 * their own, on a lane that is made when they first have to wait.
 *
 * <p>A detokenizer or adapter that throws ends the stream with {@code INTERNAL}.
 *
 * <p><b>Threads.</b> Signals on the lane of the stream below, and after its end on the late lane;
 * {@link #request} and {@link #cancel} from anywhere.
 */
final class TextSubscription<R> implements Flow.Subscriber<R>, Flow.Subscription {
  private final TextStream.Builder<R> settings;
  private final Flow.Subscriber<? super TextOutput<R>> client;
  private final TextOptions options;
  private final TextOutput.Header header;
  private final List<@Nullable ChoiceText<R>> choices;
  private final AtomicLong outstanding = new AtomicLong();
  private final Deque<TextOutput<R>> tail = new ArrayDeque<>();
  private volatile Flow.@Nullable Subscription upstream;
  private volatile @Nullable Scheduler lateLane;
  private volatile boolean cancelled;
  private volatile @Nullable IllegalArgumentException misuse;
  private @Nullable Throwable failure;
  private int openChoices;
  private boolean stopped;

  /** The stream below has nothing more to say, or is no longer listened to. */
  private boolean ended;

  private boolean done;

  TextSubscription(
      TextStream.Builder<R> settings,
      TextOptions options,
      Flow.Subscriber<? super TextOutput<R>> client) {
    this.settings = settings;
    this.options = options;
    this.client = client;
    this.header = new TextOutput.Header(options, settings.environment.wallClock().instant());
    this.choices = new ArrayList<>();
    this.openChoices = options.choices();
  }

  // The stream below.

  @Override
  public void onSubscribe(Flow.Subscription subscription) {
    upstream = subscription;
    client.onSubscribe(this);
  }

  @Override
  public void onNext(R item) {
    if (ended || done || cancelled) {
      return;
    }
    TextOutput<R> output;
    try {
      output = read(item);
    } catch (Throwable hostFailure) {
      cancelUpstream();
      fail(ofHost("item cannot be made text", hostFailure));
      return;
    }
    deliver(output);
    if (openChoices == 0 && stopped) {
      done = true;
      cancelUpstream();
      if (!cancelled) {
        client.onComplete();
      }
    }
  }

  private void deliver(TextOutput<R> output) {
    if (outstanding.get() != Long.MAX_VALUE) {
      outstanding.decrementAndGet();
    }
    boolean returned = false;
    try {
      client.onNext(output);
      returned = true;
    } finally {
      if (!returned) {
        cancel();
      }
    }
  }

  private TextOutput<R> read(R item) {
    CompletionUsage reported = settings.usage.apply(item);
    if (reported != null) {
      header.reported = reported;
    }
    ChoiceText<R> choice = choice(settings.adapter.choice(item));
    boolean open = !choice.isEnded();
    TokenSlice tokens = settings.adapter.tokens(item);
    String text = choice.read(item, tokens);
    FinishReason finish = choice.isStopped() ? FinishReason.STOP : null;
    if (finish == null) {
      finish = settings.adapter.finishReason(item);
    }
    if (open && finish != null) {
      text += choice.end();
      openChoices--;
      stopped |= choice.isStopped();
    }
    TokenSlice kept = tokens.slice(0, choice.readTokens());
    header.completionTokens += kept.length();
    return new TextOutput<>(
        header, item, choice.index(), choice.begin(), text, kept, open ? finish : null);
  }

  private ChoiceText<R> choice(int index) {
    while (choices.size() <= index) {
      choices.add(null);
    }
    ChoiceText<R> choice = choices.get(index);
    if (choice == null) {
      choice =
          new ChoiceText<>(index, settings.texts.create(options.prompt()), options.newMatcher());
      choices.set(index, choice);
    }
    return choice;
  }

  @Override
  public void onError(Throwable error) {
    if (!ended) {
      fail(error);
    }
  }

  private void fail(Throwable error) {
    failure = error;
    if (!(error instanceof IllegalArgumentException)) {
      collectTail(null);
    }
    end();
  }

  private static DynamoException ofHost(String what, Throwable hostFailure) {
    return new DynamoException(
        ErrorType.INTERNAL,
        what + ": class=" + hostFailure.getClass().getName(),
        null,
        DynamoException.NO_ATTEMPT,
        hostFailure);
  }

  @Override
  public void onComplete() {
    if (ended) {
      return;
    }
    try {
      collectTail(FinishReason.STOP);
    } catch (Throwable hostFailure) {
      failure = ofHost("answer's end cannot be made text", hostFailure);
    }
    end();
  }

  /** Makes the outputs that let withheld text go. */
  private void collectTail(@Nullable FinishReason finish) {
    for (ChoiceText<R> choice : choices) {
      if (choice != null && !choice.isEnded()) {
        String text = finish == null ? choice.withheld() : choice.end();
        if (!text.isEmpty()) {
          tail.add(
              new TextOutput<>(
                  header, null, choice.index(), false, text, TokenSlice.empty(), finish));
        }
      }
    }
  }

  private void end() {
    ended = true;
    if (done || cancelled) {
      return;
    }
    if (outstanding.get() >= tail.size()) {
      deliverTail();
      return;
    }
    Scheduler lane = settings.environment.lanes().lane("text");
    lateLane = lane;
    lane.execute(this::deliverTail);
  }

  private void deliverTail() {
    while (!done && !cancelled) {
      IllegalArgumentException refused = misuse;
      if (refused != null) {
        failure = refused;
        tail.clear();
      }
      TextOutput<R> next = tail.peek();
      if (next == null) {
        terminate();
      } else if (outstanding.get() > 0) {
        tail.remove();
        deliver(next);
      } else {
        return;
      }
    }
  }

  private void terminate() {
    done = true;
    if (failure == null) {
      client.onComplete();
    } else {
      client.onError(failure);
    }
  }

  // The client.

  @Override
  public void request(long n) {
    if (n > 0) {
      outstanding.accumulateAndGet(n, TextSubscription::saturatedSum);
    } else {
      misuse = new IllegalArgumentException("request must be positive, by rule 3.9: n=" + n);
    }
    Scheduler lane = lateLane;
    Flow.Subscription subscription = upstream;
    if (lane != null) {
      lane.execute(this::deliverTail);
    } else if (subscription != null) {
      subscription.request(n);
    }
  }

  @Override
  public void cancel() {
    cancelled = true;
    cancelUpstream();
  }

  private void cancelUpstream() {
    Flow.Subscription subscription = upstream;
    if (subscription != null) {
      subscription.cancel();
    }
  }

  private static long saturatedSum(long a, long b) {
    long sum = a + b;
    return sum < 0 ? Long.MAX_VALUE : sum;
  }
}
