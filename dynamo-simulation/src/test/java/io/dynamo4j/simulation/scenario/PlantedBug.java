// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.scenario;

import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.model.StopConditions;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.indexer.KvIndexer;
import io.dynamo4j.kvrouter.ActiveBlockTracker;
import io.dynamo4j.kvrouter.Booking;
import io.dynamo4j.kvrouter.ForwardingBlockTracker;
import io.dynamo4j.plane.Attempt;
import io.dynamo4j.plane.RequestDispatcher;
import io.dynamo4j.plane.ResponseStream;
import io.dynamo4j.simulation.fleet.FleetSeams;
import java.util.Collections;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Flow;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Mistakes of the classes under test, each made at one public seam by standing before it, so that
 * no product code knows of them. The scenarios must find every one.
 */
enum PlantedBug {
  TOKEN_DELIVERED_TWICE {
    @Override
    FleetSeams seams() {
      return streams(
          (attempt, downstream) ->
              new Relay(downstream) {
                private boolean repeated = attempt.number() == 0;

                @Override
                public void onNext(LLMEngineOutput item) {
                  if (!repeated && !item.tokenIds().isEmpty() && item.finishReason() == null) {
                    repeated = true;
                    downstream.onNext(item);
                  }
                  downstream.onNext(item);
                }
              });
    }
  },
  DELIVERED_TOKEN_MISSING_FROM_REPLAY {
    @Override
    FleetSeams seams() {
      return requests(
          request -> {
            TokenSlice tokens = request.tokenIds();
            return request.toBuilder().tokenIds(tokens.slice(0, tokens.length() - 1)).build();
          });
    }
  },
  REPLAYED_TOKEN_ALTERED {
    @Override
    FleetSeams seams() {
      return requests(
          request -> {
            int[] tokens = request.tokenIds().toArray();
            tokens[tokens.length / 2] ^= 1;
            return request.toBuilder().tokenIds(TokenSlice.wrap(tokens)).build();
          });
    }
  },
  MAX_TOKENS_NOT_REDUCED {
    @Override
    FleetSeams seams() {
      return requests(
          request -> {
            StopConditions more =
                request.stopConditions().toBuilder()
                    .maxTokens(request.stopConditions().maxTokens() + 1)
                    .build();
            return request.toBuilder().stopConditions(more).build();
          });
    }
  },
  LATE_FRAME_OF_OLD_ATTEMPT {
    @Override
    FleetSeams seams() {
      return LateFrames.seams();
    }
  },
  BOOKING_RELEASED_TWICE {
    @Override
    FleetSeams seams() {
      return bookings(
          tracker ->
              new ForwardingBlockTracker(tracker) {
                @Override
                public boolean free(Booking booking) {
                  super.free(booking);
                  return super.free(booking);
                }
              });
    }
  },
  BOOKING_LEAKED_ON_CONNECT_FAILURE {
    @Override
    FleetSeams seams() {
      return bookings(
          tracker ->
              new ForwardingBlockTracker(tracker) {
                private boolean marked;

                @Override
                public boolean markPrefillCompleted(Booking booking) {
                  marked = true;
                  return super.markPrefillCompleted(booking);
                }

                @Override
                public boolean free(Booking booking) {
                  boolean release = marked;
                  marked = false;
                  return release && super.free(booking);
                }
              });
    }
  },
  DEAD_WORKERS_BLOCKS_KEPT {
    @Override
    FleetSeams seams() {
      return new FleetSeams() {
        @Override
        public KvIndexer indexer(KvIndexer indexer) {
          return new ForgetfulIndexer(indexer);
        }
      };
    }
  },
  DEMAND_RESET_TO_UNBOUNDED {
    @Override
    FleetSeams seams() {
      return streams(
          (attempt, downstream) ->
              new Relay(downstream) {
                @Override
                public void request(long items) {
                  super.request(attempt.number() == 0 ? items : Long.MAX_VALUE);
                }
              });
    }
  },
  DEMAND_LOST_ON_MIGRATION {
    @Override
    FleetSeams seams() {
      return streams(
          (attempt, downstream) ->
              new Relay(downstream) {
                @Override
                public void request(long items) {
                  if (attempt.number() == 0) {
                    super.request(items);
                  }
                }
              });
    }
  },
  SECOND_ERROR_SWALLOWED {
    @Override
    FleetSeams seams() {
      return streams(
          (attempt, downstream) ->
              new Relay(downstream) {
                @Override
                public void onError(Throwable failure) {
                  if (attempt.number() == 0) {
                    super.onError(failure);
                  }
                }
              });
    }
  },
  ERROR_HIDDEN_BY_CLEAN_END {
    @Override
    FleetSeams seams() {
      return answers(
          downstream ->
              new Relay(downstream) {
                @Override
                public void onError(Throwable failure) {
                  super.onComplete();
                }
              });
    }
  },
  COMPLETED_TWICE {
    @Override
    FleetSeams seams() {
      return answers(
          downstream ->
              new Relay(downstream) {
                @Override
                public void onComplete() {
                  super.onComplete();
                  super.onComplete();
                }
              });
    }
  },
  TIMER_NOT_CANCELLED {
    @Override
    FleetSeams seams() {
      return new FleetSeams() {
        @Override
        public Environment gateway(Environment environment) {
          return new Environment(
              name -> new StickyTimers(environment.lanes().lane(name)),
              environment.wallClock(),
              environment.random());
        }
      };
    }
  },
  CANCEL_NOT_PASSED_ON {
    @Override
    FleetSeams seams() {
      return streams(
          (attempt, downstream) ->
              new Relay(downstream) {
                @Override
                public void cancel() {}
              });
    }
  },
  FAILED_WORKER_NOT_EXCLUDED {
    @Override
    FleetSeams seams() {
      return new FleetSeams() {
        @Override
        public RequestDispatcher<PreprocessedRequest, LLMEngineOutput> dispatcher(
            RequestDispatcher<PreprocessedRequest, LLMEngineOutput> dispatcher) {
          return (request, attempt) ->
              dispatcher.dispatch(request, excluding(attempt, Collections.emptySet()));
        }
      };
    }
  },
  BUDGET_REFILLED_BY_SUCCESS {
    @Override
    FleetSeams seams(long limit) {
      return RefilledBudget.seams(limit);
    }

    @Override
    int extraMigrations() {
      return 100;
    }
  },
  PIN_DROPPED_ON_RETRY {
    @Override
    FleetSeams seams() {
      return new DroppedPin();
    }
  },
  EXCLUSIONS_SHARED_BETWEEN_REQUESTS {
    @Override
    FleetSeams seams(long limit) {
      Set<WorkerWithDpRank> everFailed = new TreeSet<>();
      return new FleetSeams() {
        @Override
        public RequestDispatcher<PreprocessedRequest, LLMEngineOutput> dispatcher(
            RequestDispatcher<PreprocessedRequest, LLMEngineOutput> dispatcher) {
          return (request, attempt) -> {
            everFailed.addAll(attempt.excludedWorkers());
            return dispatcher.dispatch(request, excluding(attempt, everFailed));
          };
        }
      };
    }
  },
  LEASE_RELEASED_AFTER_ITS_ERROR {
    @Override
    FleetSeams seams() {
      return bookings(
          tracker ->
              new ForwardingBlockTracker(tracker) {
                private @Nullable Booking pending;

                @Override
                public void book(Booking booking) {
                  flush();
                  super.book(booking);
                }

                @Override
                public boolean free(Booking booking) {
                  flush();
                  pending = booking;
                  return true;
                }

                private void flush() {
                  Booking late = pending;
                  pending = null;
                  if (late != null) {
                    super.free(late);
                  }
                }
              });
    }
  },
  DEADLINE_NOT_TOLD {
    @Override
    FleetSeams seams() {
      return new FleetSeams() {
        @Override
        public RequestDispatcher<PreprocessedRequest, LLMEngineOutput> dispatcher(
            RequestDispatcher<PreprocessedRequest, LLMEngineOutput> dispatcher) {
          return (request, attempt) ->
              dispatcher.dispatch(
                  request,
                  Attempt.builder(attempt.requestId(), attempt.lane())
                      .excludedWorkers(attempt.excludedWorkers())
                      .number(attempt.number())
                      .listener(new RelayListener(attempt))
                      .build());
        }
      };
    }
  },
  LIMIT_OFF_BY_ONE {
    @Override
    int extraMigrations() {
      return 1;
    }
  };

  /** Returns what stands in the way, in a run of the given limit. */
  FleetSeams seams(long limit) {
    return seams();
  }

  FleetSeams seams() {
    return new FleetSeams() {};
  }

  int extraMigrations() {
    return 0;
  }

  /** Alters the requests of every attempt but the first. */
  private static FleetSeams requests(UnaryOperator<PreprocessedRequest> alter) {
    return new FleetSeams() {
      @Override
      public RequestDispatcher<PreprocessedRequest, LLMEngineOutput> dispatcher(
          RequestDispatcher<PreprocessedRequest, LLMEngineOutput> dispatcher) {
        return (request, attempt) ->
            dispatcher.dispatch(attempt.number() == 0 ? request : alter.apply(request), attempt);
      }
    };
  }

  private static FleetSeams streams(
      BiFunction<Attempt, Flow.Subscriber<? super LLMEngineOutput>, Relay> relay) {
    return new FleetSeams() {
      @Override
      public RequestDispatcher<PreprocessedRequest, LLMEngineOutput> dispatcher(
          RequestDispatcher<PreprocessedRequest, LLMEngineOutput> dispatcher) {
        return (request, attempt) -> {
          ResponseStream<LLMEngineOutput> stream = dispatcher.dispatch(request, attempt);
          return subscriber -> stream.subscribe(relay.apply(attempt, subscriber));
        };
      }
    };
  }

  private static FleetSeams answers(
      Function<Flow.Subscriber<? super LLMEngineOutput>, Relay> relay) {
    return new FleetSeams() {
      @Override
      public ResponseStream<LLMEngineOutput> answer(
          PreprocessedRequest request, ResponseStream<LLMEngineOutput> stream) {
        return subscriber -> stream.subscribe(relay.apply(subscriber));
      }
    };
  }

  private static FleetSeams bookings(UnaryOperator<ActiveBlockTracker> wrap) {
    return new FleetSeams() {
      @Override
      public ActiveBlockTracker tracker(ActiveBlockTracker tracker) {
        return wrap.apply(tracker);
      }
    };
  }

  private static Attempt excluding(Attempt attempt, Set<WorkerWithDpRank> excluded) {
    return Attempt.builder(attempt.requestId(), attempt.lane())
        .excludedWorkers(excluded)
        .number(attempt.number())
        .deadlineNanos(attempt.deadlineNanos())
        .listener(new RelayListener(attempt))
        .build();
  }
}
