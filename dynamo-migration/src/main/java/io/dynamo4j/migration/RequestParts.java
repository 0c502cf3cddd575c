// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import io.dynamo4j.core.runtime.Scheduler;

/** What the parts of one request share. All of it belongs to the request's lane. */
final class RequestParts<R> {
  final RequestProfile profile;
  final MigrationOptions options;
  final Scheduler lane;
  final ClientPort<R> client;
  final HealthReporter health;
  final Resumption resumption;
  final RequestJournal journal;
  final RecoverySearch search;
  final AnswerFlow<R> answer;
  final Attempts<R> attempts = new Attempts<>();

  RequestParts(
      DefaultMigrator<?, R> migrator,
      RequestProfile profile,
      MigrationOptions options,
      Scheduler lane,
      ClientPort<R> client) {
    this.profile = profile;
    this.options = options;
    this.lane = lane;
    this.client = client;
    this.health = migrator.health;
    this.resumption = migrator.resumption;
    this.journal =
        new RequestJournal(profile, migrator.recorder, migrator.events, lane.clock().nanoTime());
    this.search =
        new RecoverySearch(
            budget(profile, options), options.has(Correction.EXCLUDE_FAILED_WORKERS), journal);
    this.answer =
        new AnswerFlow<>(
            migrator.adapter, profile, options, client, search, journal, resumption, lane.clock());
  }

  private static long budget(RequestProfile profile, MigrationOptions options) {
    boolean barred =
        profile.replayability().under(options).extent() == Replayability.Extent.UNTIL_OPENED
            && !options.has(Correction.RETRY_UNTIL_OPENED);
    return barred ? 0 : options.limit();
  }
}
