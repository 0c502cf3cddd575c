// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.kvrouter.FoundFaults.Evidence;
import java.util.concurrent.TimeUnit;

/** Finds what concerns the router itself: its mode, its index elsewhere, thresholds and peers. */
final class RouterCheck implements HealthCheck {
  private static final int BUSY_SECONDS = 10;
  private static final int REMOTE_SECONDS = 10;
  private static final int MISSING_SECONDS = 20;
  private static final int EXPIRED_SECONDS = 60;

  @Override
  public void check(HealthWindow window, FoundFaults found) {
    HealthSample now = window.now();
    if (now.isApproximate()) {
      found.add(HealthKind.APPROXIMATE, "index", Evidence.of("workers", now.workers().size()));
    }
    if (window.always(BUSY_SECONDS, RouterCheck::isEverybodyBusy)) {
      found.add(
          HealthKind.EVERYBODY_BUSY,
          "workers=" + now.workers().size(),
          Evidence.of("overloadedRanks", now.overloadedRanks()));
    }
    checkRemote(window, found);
    checkPeers(window, found);
  }

  private static void checkRemote(HealthWindow window, FoundFaults found) {
    long failed = window.growth(REMOTE_SECONDS, s -> s.remote().failed());
    long untold = window.growth(REMOTE_SECONDS, s -> s.remote().untold());
    if (failed > 0 || untold > 0) {
      long lookups = window.growth(REMOTE_SECONDS, s -> s.remote().lookups());
      long here = window.growth(REMOTE_SECONDS, s -> s.remote().answeredHere());
      found.add(
          HealthKind.REMOTE_INDEX_FAILING,
          "servers",
          Evidence.of("failedLookups", failed)
              .and("lookups", lookups)
              .and("answeredByPredictions", here)
              .and("untoldDecisions", untold));
    }
  }

  private static boolean isEverybodyBusy(HealthSample sample) {
    return sample.overloadedRanks() > 0 && sample.overloadedRanks() == sample.ranks().size();
  }

  private static void checkPeers(HealthWindow window, FoundFaults found) {
    PeerFigures peers = window.now().peers();
    if (window.always(MISSING_SECONDS, s -> s.peers().heard() < s.peers().expected())) {
      found.add(
          HealthKind.PEERS_MISSING,
          "routers",
          Evidence.of("heard", peers.heard()).and("expected", peers.expected()));
    }
    for (PeerFigures.Silence silence : peers.silent()) {
      found.add(
          HealthKind.PEER_SILENT,
          "router=" + Long.toUnsignedString(silence.routerId()),
          Evidence.of("silentMillis", TimeUnit.NANOSECONDS.toMillis(silence.silentNanos()))
              .and("leaseMillis", TimeUnit.NANOSECONDS.toMillis(silence.leaseNanos())));
    }
    long expired = expired(window);
    if (expired > 0) {
      found.add(HealthKind.PEER_SILENT, "routers", Evidence.of("expiredInAMinute", expired));
    }
  }

  private static long expired(HealthWindow window) {
    HealthSample before = window.ago(EXPIRED_SECONDS);
    long then = before == null ? 0 : before.peers().expired();
    return window.now().peers().expired() - then;
  }
}
