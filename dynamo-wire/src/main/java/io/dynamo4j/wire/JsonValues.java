// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.wire;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.core.io.JsonEOFException;
import io.dynamo4j.wire.WireFormatException.Reason;
import java.io.ByteArrayOutputStream;
import java.io.CharConversionException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigInteger;

/**
 * The same values as JSON and as MessagePack: peers choose between them, each format is read and
 * written once.
 *
 * <p>Whole numbers keep all 64 bits, unsigned beyond the largest signed one. Bounds are those of
 * {@link WireLimits}.
 *
 * <p><b>Threads.</b> Stateless.
 */
public final class JsonValues {
  private static final int MAX_NUMBER_LENGTH = 32;

  private static final JsonFactory JSON =
      JsonFactory.builder()
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxDocumentLength(WireLimits.MAX_FRAME_BYTES)
                  .maxNestingDepth(WireLimits.MAX_DEPTH)
                  .maxStringLength(WireLimits.MAX_STRING_BYTES)
                  .maxNameLength(WireLimits.MAX_STRING_BYTES)
                  .maxNumberLength(MAX_NUMBER_LENGTH)
                  .build())
          .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
          .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .build();

  private JsonValues() {}

  /* --------------- From JSON --------------- */

  /**
   * Returns a JSON document as MessagePack.
   *
   * @throws WireFormatException if it is no JSON, has something after it, is beyond a bound or
   *     holds a whole number of more than 64 bits
   */
  public static byte[] toMsgpack(byte[] json) {
    if (json.length > WireLimits.MAX_FRAME_BYTES) {
      throw new WireFormatException(Reason.TOO_LARGE, "JSON bytes " + json.length, 0);
    }
    try (JsonParser in = JSON.createParser(json)) {
      MsgpackWriter out = MsgpackWriter.ofExpectedSize(json.length);
      in.nextToken();
      copy(in, out);
      if (in.nextToken() != null) {
        throw fault(in, Reason.TRAILING_BYTES, "JSON");
      }
      return out.toByteArray();
    } catch (StreamConstraintsException e) {
      throw fault(e, Reason.TOO_LARGE);
    } catch (JsonEOFException e) {
      throw fault(e, Reason.TRUNCATED);
    } catch (JsonProcessingException e) {
      throw fault(e, Reason.MALFORMED);
    } catch (CharConversionException notText) {
      throw new WireFormatException(Reason.MALFORMED, "JSON text", 0);
    } catch (IOException e) {
      throw new UncheckedIOException("memory cannot be read", e);
    }
  }

  private static WireFormatException fault(JsonProcessingException e, Reason reason) {
    JsonLocation location = e.getLocation();
    return new WireFormatException(reason, "JSON", location == null ? 0 : offset(location));
  }

  /** Of documents in bytes a token's place is counted in bytes, but called one in characters. */
  private static long offset(JsonLocation location) {
    long bytes = location.getByteOffset();
    return bytes >= 0 ? bytes : Math.max(0, location.getCharOffset());
  }

  /**
   * Returns where an item of a list begins, of which there are more; 0 if the document is no list.
   *
   * @param json a document that {@link #toMsgpack} takes
   */
  public static long offsetOfItem(byte[] json, int index) {
    try (JsonParser in = JSON.createParser(json)) {
      if (in.nextToken() != JsonToken.START_ARRAY) {
        return 0;
      }
      in.nextToken();
      for (int i = 0; i < index; i++) {
        in.skipChildren();
        in.nextToken();
      }
      return offset(in.currentTokenLocation());
    } catch (IOException e) {
      throw new UncheckedIOException("document was read before", e);
    }
  }

  private static void copy(JsonParser in, MsgpackWriter out) throws IOException {
    JsonToken token = in.currentToken();
    if (token == null) {
      throw fault(in, Reason.TRUNCATED, "JSON");
    }
    switch (token) {
      case START_OBJECT -> copyObject(in, out);
      case START_ARRAY -> copyArray(in, out);
      case VALUE_STRING -> out.string(in.getText());
      case VALUE_NUMBER_INT -> copyInteger(in, out);
      case VALUE_NUMBER_FLOAT -> out.float64(in.getDoubleValue());
      case VALUE_TRUE, VALUE_FALSE -> out.bool(token == JsonToken.VALUE_TRUE);
      case VALUE_NULL -> out.nil();
      default -> throw fault(in, Reason.MALFORMED, "JSON token " + token);
    }
  }

  private static void copyObject(JsonParser in, MsgpackWriter out) throws IOException {
    int header = out.openMap();
    int entries = 0;
    while (in.nextToken() != JsonToken.END_OBJECT) {
      out.string(in.currentName());
      in.nextToken();
      copy(in, out);
      entries = counted(entries, in);
    }
    out.close(header, entries);
  }

  private static void copyArray(JsonParser in, MsgpackWriter out) throws IOException {
    int header = out.openArray();
    int items = 0;
    while (in.nextToken() != JsonToken.END_ARRAY) {
      copy(in, out);
      items = counted(items, in);
    }
    out.close(header, items);
  }

  private static int counted(int items, JsonParser in) {
    if (items == WireLimits.MAX_ITEMS) {
      throw fault(in, Reason.TOO_LARGE, "items " + items);
    }
    return items + 1;
  }

  private static void copyInteger(JsonParser in, MsgpackWriter out) throws IOException {
    BigInteger big =
        in.getNumberType() == JsonParser.NumberType.BIG_INTEGER ? in.getBigIntegerValue() : null;
    if (big == null) {
      out.signed(in.getLongValue());
    } else if (big.signum() > 0 && big.bitLength() <= Long.SIZE) {
      out.unsigned(big.longValue());
    } else {
      throw fault(in, Reason.MALFORMED, "number of more than 64 bits");
    }
  }

  private static WireFormatException fault(JsonParser in, Reason reason, String what) {
    return new WireFormatException(reason, what, offset(in.currentLocation()));
  }

  /* --------------- To JSON --------------- */

  /**
   * Returns a MessagePack value as JSON, without white space.
   *
   * @throws WireFormatException if it is no single value, holds bytes or an extension, has a key
   *     that is no string, or nests too deep
   */
  public static byte[] toJson(byte[] msgpack) {
    MsgpackReader in = MsgpackReader.of(msgpack);
    in.depth();
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(msgpack.length * 2);
    try (JsonGenerator out = JSON.createGenerator(bytes)) {
      copy(in, out);
    } catch (IOException e) {
      throw new UncheckedIOException("memory cannot be written", e);
    }
    if (in.hasRemaining()) {
      throw in.fault(Reason.TRAILING_BYTES, "value");
    }
    return bytes.toByteArray();
  }

  private static void copy(MsgpackReader in, JsonGenerator out) throws IOException {
    switch (in.nextKind()) {
      case NIL -> {
        in.skip();
        out.writeNull();
      }
      case BOOLEAN -> out.writeBoolean(in.readBoolean());
      case INTEGER -> writeInteger(in, out);
      case FLOAT -> out.writeNumber(in.readDouble());
      case STRING -> out.writeString(in.readString());
      case ARRAY -> {
        int items = in.readArrayHeader();
        out.writeStartArray();
        for (int i = 0; i < items; i++) {
          copy(in, out);
        }
        out.writeEndArray();
      }
      case MAP -> {
        int entries = in.readMapHeader();
        out.writeStartObject();
        for (int i = 0; i < entries; i++) {
          out.writeFieldName(in.readString());
          copy(in, out);
        }
        out.writeEndObject();
      }
      case BINARY, EXTENSION -> throw in.fault(Reason.MALFORMED, "value that JSON lacks");
    }
  }

  private static void writeInteger(MsgpackReader in, JsonGenerator out) throws IOException {
    boolean isNegative = in.nextIsNegative();
    long value = in.readBits64();
    if (isNegative || value >= 0) {
      out.writeNumber(value);
    } else {
      out.writeNumber(new BigInteger(Long.toUnsignedString(value)));
    }
  }
}
