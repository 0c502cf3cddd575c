// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.micrometer;

import io.dynamo4j.kvrouter.KvRouter;
import io.dynamo4j.kvrouter.QueueRejectedException;
import io.dynamo4j.kvrouter.QueueStatus;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** A router's queue by policy class, under Dynamo's names. */
final class QueueMeters {
  private static final String QUEUE = "dynamo.frontend.router.queue.";

  /** What Dynamo calls the class of a queue without any. */
  private static final String ONLY_CLASS = "default";

  private QueueMeters() {}

  /** Registers every series of every class; a router without a queue has one class at 0. */
  static void bind(MeterRegistry registry, KvRouter router, Tags modelTags) {
    List<String> classes =
        router.queueStatus().classes().stream().map(QueueStatus.OfClass::policyClass).toList();
    for (String name : classes.isEmpty() ? List.of(ONLY_CLASS) : classes) {
      Meters.of(registry, QUEUE, router, modelTags.and("policy_class", name))
          .gauge("pending.requests", r -> of(r, name, QueueStatus.OfClass::requests))
          .gauge("pending.isl.tokens", r -> of(r, name, QueueStatus.OfClass::promptTokens))
          .gauge("pending.cached.tokens", r -> of(r, name, QueueStatus.OfClass::cachedTokens));
      for (QueueRejectedException.Limit limit : QueueRejectedException.Limit.values()) {
        backpressure(registry, modelTags, name, limit);
      }
    }
  }

  private static double of(
      KvRouter router, String name, ToDoubleFunction<QueueStatus.OfClass> figure) {
    for (QueueStatus.OfClass each : router.queueStatus().classes()) {
      if (each.policyClass().equals(name)) {
        return figure.applyAsDouble(each);
      }
    }
    return 0;
  }

  static Counter backpressure(
      MeterRegistry registry,
      Tags modelTags,
      String policyClass,
      QueueRejectedException.Limit limit) {
    return Counter.builder(QUEUE + "backpressure")
        .tags(modelTags.and("policy_class", policyClass).and("reason", reason(limit)))
        .register(registry);
  }

  private static String reason(QueueRejectedException.Limit limit) {
    return switch (limit) {
      case REQUESTS -> "request_limit";
      case PROMPT_TOKENS -> "raw_isl_token_limit";
      case CACHED_TOKENS -> "cached_token_limit";
      case DO_NOT_QUEUE -> "do_not_queue";
      case WAIT -> "deadline";
    };
  }
}
