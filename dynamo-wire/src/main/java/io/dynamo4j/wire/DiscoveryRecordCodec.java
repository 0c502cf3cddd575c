// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.wire;

import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.plane.Address;
import io.dynamo4j.plane.EventChannel;
import io.dynamo4j.plane.EventScope;
import io.dynamo4j.wire.DiscoveryRecord.Channel;
import io.dynamo4j.wire.DiscoveryRecord.Instance;
import io.dynamo4j.wire.DiscoveryRecord.Model;
import io.dynamo4j.wire.DiscoveryRecord.Source;
import io.dynamo4j.wire.WireFormatException.Reason;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Discovery records as JSON, in the fields and order of Dynamo 1.6.1. Fields that are not known are
 * passed over.
 *
 * <p>An address of an event channel is {@code zmq} with its endpoint, {@code nats} with its
 * subject's prefix; other kinds keep their name and no value.
 *
 * <p><b>Threads.</b> Stateless.
 */
public final class DiscoveryRecordCodec {
  private static final String TCP = "tcp";
  private static final String CODEC = "request_plane_codec";

  private DiscoveryRecordCodec() {}

  /* --------------- Writing --------------- */

  public static byte[] encode(DiscoveryRecord record) {
    MsgpackWriter out = MsgpackWriter.ofExpectedSize(1024);
    if (record instanceof Instance instance) {
      writeInstance(instance, true, out);
    } else if (record instanceof Model model) {
      writeModel(model, out);
    } else if (record instanceof Channel channel) {
      writeChannel(channel.channel(), out);
    } else if (record instanceof Source source) {
      writeSource(source, out);
    }
    return JsonValues.toJson(out.toByteArray());
  }

  private static void writeInstance(Instance instance, boolean isTyped, MsgpackWriter out) {
    String transport = instance.address().transport();
    int plus = transport.indexOf('+');
    String codec = plus < 0 ? "" : transport.substring(plus + 1);
    out.map(6 + (isTyped ? 1 : 0) + (codec.isEmpty() ? 0 : 1));
    if (isTyped) {
      out.string("type").string("Endpoint");
    }
    EventScope.Endpoint endpoint = instance.endpoint();
    out.string("component").string(endpoint.component());
    out.string("endpoint").string(endpoint.endpoint());
    out.string("namespace").string(endpoint.namespace());
    out.string("instance_id").unsigned(instance.instanceId());
    out.string("transport").map(1);
    out.string(plus < 0 ? transport : transport.substring(0, plus));
    out.string(instance.address().value());
    out.string("device_type").string("cpu");
    if (!codec.isEmpty()) {
      out.string(CODEC).string(codec);
    }
  }

  private static void writeModel(Model model, MsgpackWriter out) {
    out.map(6).string("type").string("Model");
    out.string("namespace").string(model.endpoint().namespace());
    out.string("component").string(model.endpoint().component());
    out.string("endpoint").string(model.endpoint().endpoint());
    out.string("instance_id").unsigned(model.instanceId());
    MsgpackValues.write(model.card().fields(), out.string("card_json"));
  }

  private static void writeChannel(EventChannel channel, MsgpackWriter out) {
    out.map(5).string("type").string("EventChannel");
    writeScope(channel.scope(), out.string("scope"));
    out.string("topic").string(channel.topic());
    out.string("instance_id").unsigned(channel.publisherId());
    out.string("transport").map(2).string("kind");
    if (channel.address().transport().equals("nats")) {
      out.string("Nats").string("config").map(1).string("subject_prefix");
    } else {
      out.string("Zmq").string("config").map(1).string("endpoint");
    }
    out.string(channel.address().value());
  }

  private static void writeSource(Source source, MsgpackWriter out) {
    out.map(5).string("type").string("EventSource");
    writeScope(source.scope(), out.string("scope"));
    out.string("topic").string(source.topic());
    out.string("publisher_id").unsigned(source.publisherId());
    Instance recovery = source.recovery();
    out.string("metadata").map(recovery == null ? 3 : 4).string("kv_state_endpoint");
    if (source.scope() instanceof EventScope.Endpoint endpoint) {
      writeEndpoint(endpoint, out);
    } else {
      out.nil();
    }
    out.string("worker").map(2).string("worker_id").unsigned(source.worker().workerId());
    out.string("dp_rank").unsigned(Integer.toUnsignedLong(source.worker().dpRank()));
    out.string("publisher_id").unsigned(source.publisherId());
    if (recovery != null) {
      writeInstance(recovery, false, out.string("recovery_target"));
    }
  }

  private static void writeScope(EventScope scope, MsgpackWriter out) {
    if (scope instanceof EventScope.Endpoint endpoint) {
      out.map(2).string("kind").string("endpoint");
      writeEndpoint(endpoint, out.string("endpoint"));
    } else if (scope instanceof EventScope.Component component) {
      out.map(3).string("kind").string("component");
      out.string("namespace").string(component.namespace());
      out.string("component").string(component.component());
    } else if (scope instanceof EventScope.Namespace namespace) {
      out.map(2).string("kind").string("namespace").string("name").string(namespace.namespace());
    }
  }

  private static void writeEndpoint(EventScope.Endpoint endpoint, MsgpackWriter out) {
    out.map(3).string("namespace").string(endpoint.namespace());
    out.string("component").string(endpoint.component()).string("name").string(endpoint.endpoint());
  }

  /* --------------- Reading --------------- */

  /**
   * Reads a record.
   *
   * @return null if it is of a kind that is not known
   * @throws WireFormatException if it is no JSON object or lacks a field
   */
  public static @Nullable DiscoveryRecord decode(byte[] json) {
    MsgpackReader in = MsgpackReader.of(JsonValues.toMsgpack(json));
    if (in.nextKind() != MsgpackReader.Kind.MAP) {
      throw in.fault(Reason.MALFORMED, "record");
    }
    Content record = new Content(MsgpackValues.readMap(in), in);
    // Records of old releases have no type: they are instances.
    return switch (record.text("type", "Endpoint")) {
      case "Endpoint" -> instance(record);
      case "Model" ->
          new Model(
              endpoint(record),
              record.number("instance_id"),
              ModelCard.of(record.nested("card_json").map()));
      case "EventChannel" -> new Channel(channel(record));
      case "EventSource" -> source(record);
      default -> null;
    };
  }

  private static Instance instance(Content record) {
    Map<String, Object> transport = record.nested("transport").map();
    for (Map.Entry<String, Object> entry : transport.entrySet()) {
      if (entry.getValue() instanceof String value) {
        String codec = record.text(CODEC, "");
        String suffix = codec.isEmpty() ? "" : "+" + codec;
        return new Instance(
            endpoint(record),
            record.number("instance_id"),
            new Address(entry.getKey().equals(TCP) ? TCP + suffix : entry.getKey(), value));
      }
    }
    throw record.fault("transport");
  }

  private static EventScope.Endpoint endpoint(Content record) {
    return new EventScope.Endpoint(
        record.text("namespace"), record.text("component"), record.text("endpoint"));
  }

  private static EventChannel channel(Content record) {
    Content transport = record.nested("transport");
    String kind = transport.text("kind");
    Content config = transport.map().containsKey("config") ? transport.nested("config") : transport;
    Address address =
        switch (kind) {
          case "Zmq" -> new Address("zmq", config.text("endpoint"));
          case "Nats" -> new Address("nats", config.text("subject_prefix"));
          default -> new Address(kind, "");
        };
    return new EventChannel(
        scope(record), record.text("topic"), record.number("instance_id"), address);
  }

  private static Source source(Content record) {
    Content metadata = record.nested("metadata");
    Content worker = metadata.nested("worker");
    return new Source(
        scope(record),
        record.text("topic"),
        record.number("publisher_id"),
        new WorkerWithDpRank(worker.number("worker_id"), rank(worker)),
        metadata.map().containsKey("recovery_target")
            ? instance(metadata.nested("recovery_target"))
            : null);
  }

  private static int rank(Content worker) {
    long rank = worker.number("dp_rank");
    if (rank >>> Integer.SIZE != 0) {
      throw worker.fault("dp_rank");
    }
    return (int) rank;
  }

  private static EventScope scope(Content record) {
    if (!record.map().containsKey("scope")) {
      // Channels of old releases.
      return new EventScope.Component(record.text("namespace"), record.text("component"));
    }
    Content scope = record.nested("scope");
    return switch (scope.text("kind")) {
      case "namespace" -> new EventScope.Namespace(scope.text("name"));
      case "component" ->
          new EventScope.Component(scope.text("namespace"), scope.text("component"));
      case "endpoint" -> {
        Content endpoint = scope.nested("endpoint");
        yield new EventScope.Endpoint(
            endpoint.text("namespace"), endpoint.text("component"), endpoint.text("name"));
      }
      default -> throw scope.fault("kind");
    };
  }

  /** Fields of a record, required unless a default is given. */
  private record Content(Map<String, Object> map, MsgpackReader in) {
    String text(String key) {
      if (map.get(key) instanceof String text) {
        return text;
      }
      throw fault(key);
    }

    String text(String key, String otherwise) {
      return map.containsKey(key) ? text(key) : otherwise;
    }

    long number(String key) {
      if (map.get(key) instanceof Long number) {
        return number;
      }
      throw fault(key);
    }

    @SuppressWarnings("unchecked") // maps that are read have texts for keys
    Content nested(String key) {
      if (map.get(key) instanceof Map<?, ?> nested) {
        return new Content((Map<String, Object>) nested, in);
      }
      throw fault(key);
    }

    WireFormatException fault(String key) {
      return in.fault(Reason.MALFORMED, "record field " + key);
    }
  }
}
