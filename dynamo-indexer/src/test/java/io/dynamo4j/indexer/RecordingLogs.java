// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.slf4j.ILoggerFactory;
import org.slf4j.IMarkerFactory;
import org.slf4j.Marker;
import org.slf4j.event.Level;
import org.slf4j.helpers.BasicMarkerFactory;
import org.slf4j.helpers.LegacyAbstractLogger;
import org.slf4j.helpers.MessageFormatter;
import org.slf4j.helpers.NOPMDCAdapter;
import org.slf4j.spi.MDCAdapter;
import org.slf4j.spi.SLF4JServiceProvider;

/** Keeps what the module logs, for tests to read. */
public final class RecordingLogs implements SLF4JServiceProvider {
  private static final List<String> WARNINGS = new CopyOnWriteArrayList<>();

  private final IMarkerFactory markers = new BasicMarkerFactory();
  private final MDCAdapter mdc = new NOPMDCAdapter();

  /** Returns every warning so far that contains a text. */
  public static List<String> warnings(String text) {
    return WARNINGS.stream().filter(warning -> warning.contains(text)).toList();
  }

  @Override
  public ILoggerFactory getLoggerFactory() {
    return name -> new Recorder();
  }

  @Override
  public IMarkerFactory getMarkerFactory() {
    return markers;
  }

  @Override
  public MDCAdapter getMDCAdapter() {
    return mdc;
  }

  @Override
  public String getRequestedApiVersion() {
    return "2.0.99";
  }

  @Override
  public void initialize() {}

  private static final class Recorder extends LegacyAbstractLogger {
    private static final long serialVersionUID = 1L;

    @Override
    public boolean isTraceEnabled() {
      return false;
    }

    @Override
    public boolean isDebugEnabled() {
      return false;
    }

    @Override
    public boolean isInfoEnabled() {
      return false;
    }

    @Override
    public boolean isWarnEnabled() {
      return true;
    }

    @Override
    public boolean isErrorEnabled() {
      return true;
    }

    @Override
    protected @Nullable String getFullyQualifiedCallerName() {
      return null;
    }

    @Override
    protected void handleNormalizedLoggingCall(
        Level level,
        @Nullable Marker marker,
        String pattern,
        Object @Nullable [] arguments,
        @Nullable Throwable cause) {
      if (level == Level.WARN) {
        WARNINGS.add(MessageFormatter.basicArrayFormat(pattern, arguments));
      }
    }
  }
}
