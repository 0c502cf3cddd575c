// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.ILoggerFactory;
import org.slf4j.IMarkerFactory;
import org.slf4j.Logger;
import org.slf4j.helpers.BasicMarkerFactory;
import org.slf4j.helpers.MessageFormatter;
import org.slf4j.helpers.NOPMDCAdapter;
import org.slf4j.spi.MDCAdapter;
import org.slf4j.spi.SLF4JServiceProvider;

/** Logs as a host would see them: forgotten but while a test records. */
public final class RecordedLogs implements SLF4JServiceProvider {
  private static volatile @Nullable List<String> recording;

  private final BasicMarkerFactory markers = new BasicMarkerFactory();

  /** Runs something and returns the lines that it logged at {@code warn}. */
  static List<String> warningsOf(Runnable run) {
    List<String> lines = Collections.synchronizedList(new ArrayList<>());
    recording = lines;
    try {
      run.run();
    } finally {
      recording = null;
    }
    return List.copyOf(lines);
  }

  private static Logger logger() {
    return (Logger)
        Proxy.newProxyInstance(
            Logger.class.getClassLoader(),
            new Class<?>[] {Logger.class},
            (proxy, method, arguments) -> {
              List<String> lines = recording;
              if (lines != null && method.getName().equals("warn")) {
                lines.add(line(arguments));
              }
              return method.getReturnType() == boolean.class ? Boolean.FALSE : null;
            });
  }

  private static String line(Object[] arguments) {
    List<Object> filled = new ArrayList<>();
    for (int i = 1; i < arguments.length; i++) {
      filled.addAll(arguments[i] instanceof Object[] many ? List.of(many) : List.of(arguments[i]));
    }
    return MessageFormatter.arrayFormat(String.valueOf(arguments[0]), filled.toArray())
        .getMessage();
  }

  @Override
  public ILoggerFactory getLoggerFactory() {
    return name -> logger();
  }

  @Override
  public IMarkerFactory getMarkerFactory() {
    return markers;
  }

  @Override
  public MDCAdapter getMDCAdapter() {
    return new NOPMDCAdapter();
  }

  @Override
  public String getRequestedApiVersion() {
    return "2.0.99";
  }

  @Override
  public void initialize() {
    // Nothing is prepared.
  }
}
