// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.interop;

import io.dynamo4j.discovery.FileDiscovery;
import io.dynamo4j.discovery.Registration;
import io.dynamo4j.indexer.remote.IndexService;
import io.dynamo4j.plane.EventScope;
import io.dynamo4j.plane.WorkerInstance;
import io.dynamo4j.plane.memory.InMemoryWorkerDirectory;
import io.dynamo4j.transport.tcp.PayloadCodec;
import io.dynamo4j.transport.tcp.TcpRequestPlane;

/** A Java router as far as others see its index: the endpoint that answers for it. */
final class IndexServer implements AutoCloseable {
  private static final EventScope.Endpoint QUERIES =
      new EventScope.Endpoint("dynamo", "backend", "kv_indexer_query");

  private final TcpRequestPlane<byte[], byte[]> plane;
  private final IndexService service;
  private final Registration registration;

  private IndexServer(KvFollower follower, long id) {
    plane = TcpRequestPlane.builder(PayloadCodec.raw(), follower.environment()).build();
    String path =
        TcpRequestPlane.path(id, QUERIES.namespace(), QUERIES.component(), QUERIES.endpoint());
    WorkerInstance endpoint = WorkerInstance.builder(id, plane.address(path)).build();
    service = IndexService.serve(plane, endpoint, InMemoryWorkerDirectory.create());
    service.add("tiny", follower.indexer());
    FileDiscovery discovery = follower.discovery();
    registration = discovery.registerEndpoint(QUERIES, endpoint);
  }

  /** Serves the index of a router and says so to everybody. */
  static IndexServer of(KvFollower follower, long id) {
    return new IndexServer(follower, id);
  }

  long answered() {
    return service.answeredQueries();
  }

  /** Ends what answers, as the end of its process would; the record goes as well. */
  void crash() {
    plane.close();
    registration.close();
  }

  @Override
  public void close() {
    registration.close();
    service.close();
    plane.close();
  }
}
