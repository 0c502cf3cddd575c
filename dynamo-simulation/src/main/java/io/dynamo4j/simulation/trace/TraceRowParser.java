// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.trace;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import java.io.IOException;
import java.util.Arrays;

/** Parses one line of a trace; throws {@link IllegalArgumentException} for what is not a row. */
final class TraceRowParser {
  private static final int UNSET = -1;

  private final int blockSize;
  private final JsonFactory json =
      JsonFactory.builder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .streamReadConstraints(
              StreamReadConstraints.builder().maxNestingDepth(16).maxStringLength(65_536).build())
          .build();
  private double timestamp;
  private int inputLength;
  private int outputLength;
  private long[] hashIds = new long[64];
  private int hashIdCount;

  TraceRowParser(int blockSize) {
    this.blockSize = blockSize;
  }

  TraceRow parse(byte[] line, int length) throws IOException {
    timestamp = UNSET;
    inputLength = UNSET;
    outputLength = UNSET;
    hashIdCount = UNSET;
    try (JsonParser in = json.createParser(line, 0, length)) {
      require(in.nextToken() == JsonToken.START_OBJECT, "not a JSON object");
      while (in.nextToken() == JsonToken.FIELD_NAME) {
        readField(in, in.currentName());
      }
      require(in.nextToken() == null, "more than one JSON value on the line");
    }
    return row();
  }

  private void readField(JsonParser in, String name) throws IOException {
    JsonToken value = in.nextToken();
    switch (name) {
      case "timestamp" -> {
        require(value.isNumeric(), "timestamp must be a number");
        timestamp = in.getDoubleValue();
        require(
            timestamp >= 0 && timestamp <= 1e12,
            "timestamp must be in 0..1e12: timestamp=" + timestamp);
      }
      case "input_length" -> inputLength = readLength(in, name, 1);
      case "output_length" -> outputLength = Math.max(1, readLength(in, name, 0));
      case "hash_ids" -> readHashIds(in);
      default -> in.skipChildren();
    }
  }

  private static int readLength(JsonParser in, String name, int least) throws IOException {
    require(in.currentToken() == JsonToken.VALUE_NUMBER_INT, name + " must be an integer");
    require(
        in.getNumberType() == JsonParser.NumberType.INT && in.getIntValue() >= least,
        name + " must be in " + least + "..2147483647: " + name + "=" + in.getText());
    return in.getIntValue();
  }

  private void readHashIds(JsonParser in) throws IOException {
    require(in.currentToken() == JsonToken.START_ARRAY, "hash_ids must be an array");
    hashIdCount = 0;
    while (in.nextToken() != JsonToken.END_ARRAY) {
      require(in.currentToken() == JsonToken.VALUE_NUMBER_INT, "hash_ids must be integers");
      require(
          in.getNumberType() != JsonParser.NumberType.BIG_INTEGER && in.getLongValue() >= 0,
          "hash_ids must be in 0..2^63-1: hash_id=" + in.getText());
      if (hashIdCount == hashIds.length) {
        hashIds = Arrays.copyOf(hashIds, hashIdCount * 2);
      }
      hashIds[hashIdCount++] = in.getLongValue();
    }
  }

  private TraceRow row() {
    require(timestamp != UNSET, "field is missing: timestamp");
    require(inputLength != UNSET, "field is missing: input_length");
    require(outputLength != UNSET, "field is missing: output_length");
    require(hashIdCount != UNSET, "field is missing: hash_ids");
    int least = inputLength / blockSize;
    int most = (int) (((long) inputLength + blockSize - 1) / blockSize);
    require(
        hashIdCount >= least && hashIdCount <= most,
        "hash_ids do not fit input_length: input_length="
            + inputLength
            + ", hash_ids="
            + hashIdCount
            + ", expected="
            + most);
    return TraceRow.of(timestamp, inputLength, outputLength, Arrays.copyOf(hashIds, hashIdCount));
  }

  private static void require(boolean condition, String reason) {
    if (!condition) {
      throw new IllegalArgumentException(reason);
    }
  }
}
