// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance;

import io.dynamo4j.conformance.core.BlockHashReader;
import io.dynamo4j.conformance.core.LoraReader;
import io.dynamo4j.conformance.core.SequenceHashReader;
import io.dynamo4j.conformance.engine.EngineFramesReader;
import io.dynamo4j.conformance.engine.EngineToRouterReader;
import io.dynamo4j.conformance.migration.MigrationReader;
import io.dynamo4j.conformance.plane.DiscoveryReader;
import io.dynamo4j.conformance.plane.EventPlaneReader;
import io.dynamo4j.conformance.plane.NatsCommandReader;
import io.dynamo4j.conformance.plane.NatsRequestReader;
import io.dynamo4j.conformance.plane.RecoveryReader;
import io.dynamo4j.conformance.plane.RequestFlowReader;
import io.dynamo4j.conformance.router.RouterReader;
import io.dynamo4j.conformance.router.RouterSettingsReader;
import io.dynamo4j.conformance.selection.SelectionReader;
import io.dynamo4j.conformance.service.IndexerServiceReader;
import io.dynamo4j.conformance.service.SelectionServiceReader;
import io.dynamo4j.conformance.service.SelectionTiesReader;
import io.dynamo4j.conformance.service.SelectionTranscriptReader;
import io.dynamo4j.conformance.service.SlotTrackerReader;
import io.dynamo4j.conformance.tree.ConcurrentTreeReader;
import io.dynamo4j.conformance.tree.RadixTreeReader;
import java.util.List;

/** Every kind of case that is understood. */
final class Readers {

  private Readers() {}

  static List<CaseReader> all() {
    return List.of(
        new BlockHashReader(),
        new SequenceHashReader(),
        new LoraReader(),
        new RadixTreeReader(),
        new ConcurrentTreeReader(),
        new MigrationReader(),
        new SelectionReader(),
        new RouterReader(),
        new RouterSettingsReader(),
        new EngineToRouterReader(),
        new EngineFramesReader(),
        new EventPlaneReader(),
        new NatsRequestReader(),
        new NatsCommandReader(),
        new RecoveryReader(),
        new RequestFlowReader(),
        new DiscoveryReader(),
        new IndexerServiceReader(),
        new SelectionTranscriptReader(),
        new SelectionTiesReader(),
        new SelectionServiceReader(),
        new SlotTrackerReader());
  }
}
