// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.examples.gateway;

import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.indexer.KvIndexer;
import io.dynamo4j.indexer.durable.DurableKvBridge;
import io.dynamo4j.transport.nats.DurableStreamConfig;
import io.dynamo4j.transport.nats.NatsDurableLog;
import io.dynamo4j.transport.nats.NatsOptions;
import io.dynamo4j.transport.nats.NatsTransport;
import java.util.Map;

/**
 * Gives engines and fleets that know nothing of it the durable mode: what they publish about their
 * caches goes into a stream, from which routers start and recover.
 */
public final class KvBridge implements AutoCloseable {
  private final NatsTransport transport;
  private final NatsDurableLog log;
  private final KvIndexer index;
  private final DurableKvBridge bridge;

  private KvBridge(
      Environment environment,
      Map<String, String> variables,
      String namespace,
      String component,
      int blockSize) {
    index = KvIndexer.builder().environment(environment).blockSize(blockSize).build();
    transport = NatsTransport.create(environment, NatsOptions.fromEnvironment(variables));
    log =
        NatsDurableLog.open(
            transport,
            DurableStreamConfig.builder(namespace, component).fromEnvironment(variables).build());
    bridge = DurableKvBridge.builder().log(log).index(index).environment(environment).build();
  }

  /** Opens a bridge into the stream of a component; whatever feeds its index feeds the stream. */
  public static KvBridge open(
      Environment environment,
      Map<String, String> variables,
      String namespace,
      String component,
      int blockSize) {
    return new KvBridge(environment, variables, namespace, component, blockSize);
  }

  /** Returns what sources of events feed. */
  public DurableKvBridge index() {
    return bridge;
  }

  @Override
  public void close() {
    bridge.close();
    log.close();
    index.close();
    transport.close();
  }
}
