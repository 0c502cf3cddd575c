// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.indexer.PublisherActivity;
import io.dynamo4j.kvrouter.FoundFaults.Evidence;
import java.util.concurrent.TimeUnit;

/** Finds events that come and are of no use: unreadable, under unknown parents, of another time. */
final class EventFaultCheck implements HealthCheck {
  private static final int LEAST_GROWTH = 3;
  private static final int SKEW_SECONDS = 10;
  private static final long MOST_AHEAD_MILLIS = TimeUnit.SECONDS.toMillis(2);
  private static final long MOST_BEHIND_MILLIS = TimeUnit.SECONDS.toMillis(5);

  @Override
  public void check(HealthWindow window, FoundFaults found) {
    HealthSample now = window.now();
    for (WorkerWithDpRank rank : now.ranks().keySet()) {
      HealthWindow.Counter refused = sample -> sample.rank(rank, now).unknownParents();
      if (window.keepsGrowing(refused, LEAST_GROWTH)) {
        found.addRank(
            HealthKind.UNKNOWN_PARENTS,
            rank,
            Evidence.of("refusedStores", refused.of(now))
                .and("inHalfAMinute", window.growth(30, refused)));
      }
    }
    for (PublisherActivity publisher : window.now().publishers()) {
      check(window, publisher, found);
    }
  }

  private static void check(HealthWindow window, PublisherActivity publisher, FoundFaults found) {
    long id = publisher.publisherId();
    String subject = "publisher=" + Long.toUnsignedString(id);
    if (window.keepsGrowing(sample -> sample.publisher(id).unreadable(), LEAST_GROWTH)) {
      found.add(
          HealthKind.UNREADABLE_EVENTS,
          subject,
          Evidence.of("unreadable", publisher.unreadable())
              .and("envelopes", publisher.envelopes()));
    }
    boolean isHeard = window.growth(SKEW_SECONDS, sample -> sample.publisher(id).envelopes()) > 0;
    if (isHeard && window.always(SKEW_SECONDS, sample -> isSkewed(sample.publisher(id)))) {
      found.add(HealthKind.CLOCK_SKEW, subject, Evidence.of("behindMillis", publisher.lagMillis()));
    }
  }

  private static boolean isSkewed(PublisherActivity publisher) {
    return publisher.lagMillis() < -MOST_AHEAD_MILLIS || publisher.lagMillis() > MOST_BEHIND_MILLIS;
  }
}
