// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.plane;

import java.util.Objects;

/** What a topic belongs to: a namespace, a component of it, or an endpoint of that. */
public sealed interface EventScope
    permits EventScope.Namespace, EventScope.Component, EventScope.Endpoint {

  /** All of one namespace. */
  record Namespace(String namespace) implements EventScope {
    public Namespace {
      Objects.requireNonNull(namespace, "namespace");
    }
  }

  /** One component. */
  record Component(String namespace, String component) implements EventScope {
    public Component {
      Objects.requireNonNull(namespace, "namespace");
      Objects.requireNonNull(component, "component");
    }
  }

  /** One endpoint; every topic of current Dynamo is scoped so. */
  record Endpoint(String namespace, String component, String endpoint) implements EventScope {
    public Endpoint {
      Objects.requireNonNull(namespace, "namespace");
      Objects.requireNonNull(component, "component");
      Objects.requireNonNull(endpoint, "endpoint");
    }
  }
}
