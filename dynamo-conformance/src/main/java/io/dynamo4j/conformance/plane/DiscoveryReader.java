// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.plane;

import com.fasterxml.jackson.databind.JsonNode;
import io.dynamo4j.conformance.CaseReader;
import io.dynamo4j.conformance.Fields;
import io.dynamo4j.conformance.Replay;
import io.dynamo4j.wire.DiscoveryRecord;
import io.dynamo4j.wire.DiscoveryRecordCodec;
import io.dynamo4j.wire.PayloadFormat;
import io.dynamo4j.wire.RecordKeys;
import java.nio.charset.StandardCharsets;

/**
 * The records of a fleet at one moment, from files or etcd: each to its meaning, to the key it
 * stands under, and through our own writing back to the same meaning.
 */
public final class DiscoveryReader implements CaseReader {

  @Override
  public String name() {
    return "discovery";
  }

  @Override
  public boolean reads(JsonNode content) {
    return content.path("records").isArray();
  }

  @Override
  public Replay replay(JsonNode content) {
    Replay replay = Replay.create();
    for (JsonNode record : content.get("records")) {
      if (record.has("value_text")) {
        replay(record, replay);
      }
    }
    return replay;
  }

  private static void replay(JsonNode record, Replay replay) {
    String text = Fields.text(record, "value_text");
    byte[] json = text.getBytes(StandardCharsets.UTF_8);
    RecordedMeaning.compare("value", record.path("value"), json, PayloadFormat.JSON, replay);
    DiscoveryRecord read = DiscoveryRecordCodec.decode(json);
    if (read == null) {
      replay.fault("record of an unknown kind: value=" + text);
      return;
    }
    RecordedFields.compare(Fields.required(record, "value"), read, replay);
    String key = Fields.text(record, "key");
    replay.same("key", key, keyOf(read));
    DiscoveryRecord again = DiscoveryRecordCodec.decode(DiscoveryRecordCodec.encode(read));
    if (again == null) {
      replay.fault("record written back is of an unknown kind: value=" + text);
    } else {
      replay.same("written back", read, again);
    }
    if (record.has("path")) {
      int bucket = key.indexOf('/', "v1/".length());
      String file = key.substring(0, bucket + 1) + RecordKeys.fileName(key.substring(bucket + 1));
      replay.same("file", Fields.text(record, "path"), file);
      String name = file.substring(bucket + 1);
      replay.same("key of file", key.substring(bucket + 1), RecordKeys.ofFileName(name));
    }
  }

  private static String keyOf(DiscoveryRecord read) {
    if (read instanceof DiscoveryRecord.Instance instance) {
      return RecordKeys.INSTANCES
          + "/"
          + RecordKeys.instance(instance.endpoint(), instance.instanceId());
    } else if (read instanceof DiscoveryRecord.Model model) {
      return RecordKeys.MODELS + "/" + RecordKeys.instance(model.endpoint(), model.instanceId());
    } else if (read instanceof DiscoveryRecord.Channel channel) {
      return RecordKeys.EVENT_CHANNELS
          + "/"
          + RecordKeys.publisher(
              channel.channel().scope(),
              channel.channel().topic(),
              channel.channel().publisherId());
    }
    DiscoveryRecord.Source source = (DiscoveryRecord.Source) read;
    return RecordKeys.EVENT_SOURCES
        + "/"
        + RecordKeys.publisher(source.scope(), source.topic(), source.publisherId());
  }
}
