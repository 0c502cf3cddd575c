// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.tcp;

import io.dynamo4j.wire.RequestControl;
import io.dynamo4j.wire.TcpRequestFrame;
import io.dynamo4j.wire.TwoPartFrame;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** A worker or caller on plain sockets that does as told, right or wrong. */
final class RawPeer implements AutoCloseable {
  private static final int PATIENCE_MILLIS = 60_000;

  private final ServerSocket server;

  RawPeer() throws IOException {
    server = new ServerSocket(0, 64, InetAddress.getLoopbackAddress());
    server.setSoTimeout(PATIENCE_MILLIS);
  }

  int port() {
    return server.getLocalPort();
  }

  Connection accept() throws IOException {
    return new Connection(server.accept());
  }

  static Connection dial(String hostAndPort) throws IOException {
    int colon = hostAndPort.lastIndexOf(':');
    return new Connection(
        new Socket(
            hostAndPort.substring(0, colon), Integer.parseInt(hostAndPort.substring(colon + 1))));
  }

  @Override
  public void close() throws IOException {
    server.close();
  }

  /** One connection. */
  static final class Connection implements AutoCloseable {
    private final Socket socket;
    private final DataInputStream in;

    Connection(Socket socket) throws IOException {
      this.socket = socket;
      this.in = new DataInputStream(socket.getInputStream());
      socket.setSoTimeout(PATIENCE_MILLIS);
    }

    RequestControl readRequest() throws IOException {
      byte[] path = in.readNBytes(in.readUnsignedShort());
      byte[] headers = in.readNBytes(in.readUnsignedShort());
      byte[] payload = in.readNBytes(in.readInt());
      byte[] frame =
          ByteBuffer.allocate(8 + path.length + headers.length + payload.length)
              .putShort((short) path.length)
              .put(path)
              .putShort((short) headers.length)
              .put(headers)
              .putInt(payload.length)
              .put(payload)
              .array();
      return RequestControl.decode(TcpRequestFrame.decode(frame).payload().header());
    }

    void acknowledge(String text) throws IOException {
      byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
      write(ByteBuffer.allocate(4 + bytes.length).putInt(bytes.length).put(bytes).array());
    }

    String readReply() throws IOException {
      return new String(in.readNBytes(in.readInt()), StandardCharsets.UTF_8);
    }

    void header(String json) throws IOException {
      write(TwoPartFrame.control(json.getBytes(StandardCharsets.UTF_8)));
    }

    void body(byte[] bytes) throws IOException {
      write(TwoPartFrame.data(bytes));
    }

    /** Sends two items at once, so that no time passes between them. */
    void bodies(byte[] first, byte[] second) throws IOException {
      byte[] one = TwoPartFrame.data(first);
      byte[] other = TwoPartFrame.data(second);
      write(ByteBuffer.allocate(one.length + other.length).put(one).put(other).array());
    }

    String readHeader() throws IOException {
      long header = in.readLong();
      long body = in.readLong();
      in.readLong();
      byte[] bytes = in.readNBytes((int) header);
      in.skipNBytes(body);
      return new String(bytes, StandardCharsets.UTF_8);
    }

    void write(byte[] bytes) throws IOException {
      socket.getOutputStream().write(bytes);
      socket.getOutputStream().flush();
    }

    /** Waits for the other side to close; true if it did so without sending more. */
    boolean isClosedByPeer() throws IOException {
      try {
        return in.read() < 0;
      } catch (java.net.SocketException reset) {
        return true;
      }
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }
}
