// SPDX-License-Identifier: Apache-2.0
import org.jspecify.annotations.NullMarked;

/** Model, tokens, time and lanes, plane contracts: everything the other modules share. */
@NullMarked
module io.dynamo4j.core {
  requires static transitive org.jspecify;

  exports io.dynamo4j.core.collect to
      io.dynamo4j.indexer,
      io.dynamo4j.kvrouter,
      io.dynamo4j.transport.nats,
      io.dynamo4j.transport.zmq;
  exports io.dynamo4j.core.hash;
  exports io.dynamo4j.blocking;
  exports io.dynamo4j.core.model;
  exports io.dynamo4j.core.runtime;
  exports io.dynamo4j.core.token;
  exports io.dynamo4j.core.tree to
      io.dynamo4j.indexer;
  exports io.dynamo4j.plane;
  exports io.dynamo4j.plane.memory;
  exports io.dynamo4j.plane.transport;
}
