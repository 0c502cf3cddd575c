// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.tcp;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.wire.GenerateItemCodec;
import io.dynamo4j.wire.GenerateRequestCodec;
import java.util.Arrays;

/**
 * How one kind of endpoint writes its requests and items, as MessagePack; the plane turns that to
 * JSON where a worker's record asks for it.
 *
 * <p><b>Threads.</b> Any, several at a time; must not wait.
 *
 * @param <Q> request type
 * @param <R> response item type
 */
public interface PayloadCodec<Q, R> {

  byte[] encodeRequest(Q request);

  /**
   * Reads a request that came to a served endpoint.
   *
   * @param requestId the id, which travels beside it
   * @param workerId the instance that it came to
   * @throws DynamoException if it cannot be read; the caller is refused with this error
   */
  Q decodeRequest(String requestId, long workerId, byte[] msgpack);

  byte[] encodeItem(R item);

  /**
   * Reads the item in {@code bytes[start, end)}.
   *
   * @throws DynamoException if it is a worker's error or cannot be read; it ends the stream
   */
  R decodeItem(byte[] bytes, int start, int end);

  /** Returns the item by which a worker says, in mid-stream, that it failed. */
  default byte[] encodeError(DynamoException error) {
    return GenerateItemCodec.encodeError(error);
  }

  /** Returns the codec of {@code generate}. */
  static PayloadCodec<PreprocessedRequest, LLMEngineOutput> generate() {
    return GenerateCodec.INSTANCE;
  }

  /** Returns a codec that leaves MessagePack as it is: for queries of recovery and of indexes. */
  static PayloadCodec<byte[], byte[]> raw() {
    return RawCodec.INSTANCE;
  }

  /** The library's own types. */
  enum GenerateCodec implements PayloadCodec<PreprocessedRequest, LLMEngineOutput> {
    INSTANCE;

    @Override
    public byte[] encodeRequest(PreprocessedRequest request) {
      return GenerateRequestCodec.encode(request);
    }

    @Override
    public PreprocessedRequest decodeRequest(String requestId, long workerId, byte[] msgpack) {
      return GenerateRequestCodec.decode(requestId, workerId, msgpack);
    }

    @Override
    public byte[] encodeItem(LLMEngineOutput item) {
      return GenerateItemCodec.encode(item);
    }

    @Override
    public LLMEngineOutput decodeItem(byte[] bytes, int start, int end) {
      return GenerateItemCodec.decode(bytes, start, end);
    }
  }

  /** Bytes as they are. */
  enum RawCodec implements PayloadCodec<byte[], byte[]> {
    INSTANCE;

    @Override
    public byte[] encodeRequest(byte[] request) {
      return request;
    }

    @Override
    public byte[] decodeRequest(String requestId, long workerId, byte[] msgpack) {
      return msgpack;
    }

    @Override
    public byte[] encodeItem(byte[] item) {
      return item;
    }

    @Override
    public byte[] decodeItem(byte[] bytes, int start, int end) {
      return Arrays.copyOfRange(bytes, start, end);
    }
  }
}
