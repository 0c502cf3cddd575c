// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.health;

import io.dynamo4j.kvrouter.HealthKind;

/** What can be planted, and what a router's health has to call it. */
public enum HealthPlant {
  /** The router listens where nobody publishes. */
  OTHER_SCOPE(HealthKind.NO_EVENTS, Subject.FLEET),
  /** A worker's events are lost. */
  MUTE_WORKER(HealthKind.WORKER_SILENT, Subject.WORKER),
  /** One rank's events are lost. */
  MUTE_RANK(HealthKind.RANK_SILENT, Subject.RANK),
  /** A worker comes with another block size. */
  BLOCK_SIZE(HealthKind.WRONG_BLOCK_SIZE, Subject.WORKER),
  /** A worker salts its cache. */
  SALT(HealthKind.HASHES_NEVER_MATCH, Subject.RANK),
  /** A worker takes an adapter's requests for the base model's. */
  LORA(HealthKind.HASHES_NEVER_MATCH, Subject.RANK),
  /** A worker sees other tokens. */
  TOKENIZER(HealthKind.HASHES_NEVER_MATCH, Subject.RANK),
  /** A worker hashes blocks over other windows of tokens, as EAGLE does. */
  EAGLE(HealthKind.HASHES_NEVER_MATCH, Subject.RANK),
  /** The index takes events and finds nothing. */
  BLIND_INDEX(HealthKind.LOOKUPS_MISSING, Subject.FLEET),
  /** Half of a worker's messages are lost, and nothing asks for them. */
  ORPHANS(HealthKind.UNKNOWN_PARENTS, Subject.RANK),
  /** Some of a worker's messages are garbage. */
  GARBAGE(HealthKind.UNREADABLE_EVENTS, Subject.FLEET),
  /** A stranger publishes for a worker's rank. */
  IMPOSTOR(HealthKind.PUBLISHER_CONFLICT, Subject.RANK),
  /** A worker's events have gaps, and its recovery endpoint refuses. */
  NO_RECOVERY(HealthKind.RECOVERY_FAILING, Subject.RANK),
  /** A worker begins to write to a log that the router does not read. */
  DURABLE_WORKER(HealthKind.DURABLE_ON_ONE_SIDE, Subject.RANK),
  /** The router runs without events from the start. */
  NO_EVENT_MODE(HealthKind.APPROXIMATE, Subject.FLEET),
  /** The other router meets elsewhere from the start. */
  ALONE(HealthKind.PEERS_MISSING, Subject.FLEET),
  /** The other router dies. */
  DEAD_PEER(HealthKind.PEER_SILENT, Subject.FLEET),
  /** A worker's clock jumps an hour ahead. */
  CLOCK_AHEAD(HealthKind.CLOCK_SKEW, Subject.FLEET),
  /** A worker's clock jumps an hour back. */
  CLOCK_BEHIND(HealthKind.CLOCK_SKEW, Subject.FLEET),
  /** Every worker says that it is full. */
  ALL_BUSY(HealthKind.EVERYBODY_BUSY, Subject.FLEET);

  /** Whom a finding names. */
  enum Subject {
    FLEET,
    WORKER,
    RANK
  }

  private final HealthKind kind;
  private final Subject subject;

  HealthPlant(HealthKind kind, Subject subject) {
    this.kind = kind;
    this.subject = subject;
  }

  /** Returns what it has to be called. */
  public HealthKind kind() {
    return kind;
  }

  Subject subject() {
    return subject;
  }

  /** Returns whether it is there from the start. */
  boolean isFromTheStart() {
    return this == OTHER_SCOPE
        || this == BLIND_INDEX
        || this == NO_EVENT_MODE
        || this == ALONE
        || this == BLOCK_SIZE;
  }

  /** Returns whether recovery would repair it. */
  boolean needsLoss() {
    return this == ORPHANS;
  }

  boolean needsPeer() {
    return this == ALONE || this == DEAD_PEER;
  }
}
