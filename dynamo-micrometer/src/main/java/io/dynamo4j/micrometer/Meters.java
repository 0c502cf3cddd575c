// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.micrometer;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/** Meters of one source, read when the registry is; the registry holds the source weakly. */
final class Meters<T> {
  private final MeterRegistry registry;
  private final String prefix;
  private final T source;
  private final Tags tags;

  private Meters(MeterRegistry registry, String prefix, T source, Tags tags) {
    this.registry = registry;
    this.prefix = prefix;
    this.source = source;
    this.tags = tags;
  }

  /**
   * Starts to register.
   *
   * @param prefix of every name, with a dot at its end
   */
  static <T> Meters<T> of(MeterRegistry registry, String prefix, T source, Tags tags) {
    return new Meters<>(registry, prefix, source, tags);
  }

  Meters<T> count(String name, ToDoubleFunction<T> value) {
    FunctionCounter.builder(prefix + name, source, value).tags(tags).register(registry);
    return this;
  }

  Meters<T> gauge(String name, ToDoubleFunction<T> value) {
    Gauge.builder(prefix + name, source, value).tags(tags).register(registry);
    return this;
  }

  /** Returns the same with a tag more. */
  Meters<T> and(String key, String value) {
    return new Meters<>(registry, prefix, source, tags.and(key, value));
  }

  /** Returns the same under other names. */
  Meters<T> under(String otherPrefix) {
    return new Meters<>(registry, otherPrefix, source, tags);
  }

  /** Returns a constant as part of a meter's name. */
  static String dotted(Enum<?> constant) {
    return label(constant).replace('_', '.');
  }

  /** Returns a constant as a label's value. */
  static String label(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }
}
