// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.model;

/** Where a worker keeps a KV block, fastest first. */
public enum StorageTier {
  DEVICE("device"),
  HOST_PINNED("host_pinned"),
  DISK("disk"),
  EXTERNAL("external");

  private final String wireName;

  StorageTier(String wireName) {
    this.wireName = wireName;
  }

  /** Returns the name that events carry. */
  public String wireName() {
    return wireName;
  }
}
