// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

/** What {@link KvRouter#health} can find. */
public enum HealthKind {
  /** Prompts are computed, and no worker says that it stored anything. */
  NO_EVENTS("no worker publishes KV events: router and engines may differ in scope, or do not"),
  /** Prompts are computed at one worker, and none of its ranks says that it stored anything. */
  WORKER_SILENT("worker publishes no KV events: its publisher is off, or cannot be heard"),
  /** As {@link #WORKER_SILENT} for one rank of a worker whose other ranks are heard. */
  RANK_SILENT("rank publishes no KV events though other ranks of its worker do"),
  /** A worker declares another block size than the router hashes with. */
  WRONG_BLOCK_SIZE("worker declares another block size: no prompt will ever match"),
  /** Stores come from a rank, but never one of a prompt that was sent there. */
  HASHES_NEVER_MATCH("rank hashes prompts otherwise: look at salt, LoRA name, EAGLE, tokenizer"),
  /** Prompts that were computed a moment ago are looked up, and nothing is ever found. */
  LOOKUPS_MISSING("lookups find nothing, not even what was computed a moment ago"),
  /** Stores keep coming whose parent block the index does not know. */
  UNKNOWN_PARENTS("events hang on blocks that are not known: earlier ones are missing"),
  /** Messages or events keep coming that cannot be read. */
  UNREADABLE_EVENTS("events cannot be read: publisher and router differ in version or format"),
  /** Two living publishers write for one rank. */
  PUBLISHER_CONFLICT("two publishers write for one rank: only the first one counts"),
  /** A worker does not answer when asked for what is missing. */
  RECOVERY_FAILING("worker does not answer recovery queries: its view may stay incomplete"),
  /** Lookups in an index that another router serves fail, or it takes no decisions. */
  REMOTE_INDEX_FAILING("served index does not answer: decisions are made without it meanwhile"),
  /** A rank writes to a durable log that the router does not read, or the other way round. */
  DURABLE_ON_ONE_SIDE("durable mode is on at the router or at the rank, not at both"),
  /** What engines evict or store is not known: the index learns from decisions. */
  APPROXIMATE("index learns from routing decisions instead of events", false),
  /** Fewer routers are heard of than are said to share the workers. */
  PEERS_MISSING("other routers are expected in the scope and not heard"),
  /** A router that shares its bookings has missed its signs of life, or its lease ended. */
  PEER_SILENT("another router has fallen silent: its bookings end with its lease"),
  /** A publisher's stamps and this router's wall clock differ. */
  CLOCK_SKEW("clocks differ, or events are very late"),
  /** Busy thresholds leave no worker. */
  EVERYBODY_BUSY("busy thresholds exclude every worker");

  private final String description;
  private final boolean fault;

  HealthKind(String description) {
    this(description, true);
  }

  HealthKind(String description, boolean fault) {
    this.description = description;
    this.fault = fault;
  }

  /** Returns what it means and where to look, on one line. */
  public String description() {
    return description;
  }

  /** Returns whether something is wrong; else it is only good to know. */
  public boolean isFault() {
    return fault;
  }
}
