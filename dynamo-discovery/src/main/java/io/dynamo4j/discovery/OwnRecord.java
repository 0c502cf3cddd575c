// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.discovery;

import io.dynamo4j.plane.EventChannel;
import io.dynamo4j.wire.DiscoveryRecord;
import io.dynamo4j.wire.DiscoveryRecordCodec;
import io.dynamo4j.wire.RecordKeys;

/**
 * A record that this process writes.
 *
 * @param bucket the folder
 * @param key its key there
 */
record OwnRecord(String bucket, String key, DiscoveryRecord record) {

  static OwnRecord of(EventChannel channel) {
    return new OwnRecord(
        RecordKeys.EVENT_CHANNELS,
        RecordKeys.publisher(channel.scope(), channel.topic(), channel.publisherId()),
        new DiscoveryRecord.Channel(channel));
  }

  String fileName() {
    return RecordKeys.fileName(key);
  }

  byte[] content() {
    return DiscoveryRecordCodec.encode(record);
  }
}
