// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.micrometer;

import io.dynamo4j.transport.tcp.TcpRequestPlane;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;

/**
 * TCP request planes as meters, read when the registry is, which holds them weakly. Needs {@code
 * dynamo-transport-tcp} on the class path.
 *
 * <p><b>Threads.</b> Any.
 */
public final class TcpMetrics {

  private TcpMetrics() {}

  /** Shows connections that were dialled, requests that are open, streams that readers broke. */
  public static void bind(MeterRegistry registry, TcpRequestPlane<?, ?> plane, Tag... tags) {
    Meters.<TcpRequestPlane<?, ?>>of(registry, "dynamo4j.tcp.plane.", plane, Tags.of(tags))
        .count("dials", TcpRequestPlane::dialCount)
        .count("slow.readers", TcpRequestPlane::slowReaderCount)
        .gauge("open.requests", TcpRequestPlane::openRequestCount);
  }
}
