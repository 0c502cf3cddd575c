// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.nats;

import static io.dynamo4j.transport.nats.NatsRun.TOPIC;
import static io.dynamo4j.transport.nats.NatsRun.bytes;
import static io.dynamo4j.transport.nats.NatsRun.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.plane.EventEnvelope;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.Key;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server that takes TLS alone, with a certificate that it signed itself. */
class NatsTlsTest {
  private static final char[] PASSWORD = "changeit".toCharArray();
  private static final String ALIAS = "server";

  @TempDir Path folder;

  private final NatsRun run = new NatsRun();
  private final List<EventEnvelope> received = new CopyOnWriteArrayList<>();
  private KeyStore keys;

  @BeforeEach
  void makeCertificate() throws Exception {
    Path file = folder.resolve("keys.p12");
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                ALIAS,
                "-keyalg",
                "EC",
                "-groupname",
                "secp256r1",
                "-dname",
                "CN=127.0.0.1",
                "-ext",
                "san=ip:127.0.0.1",
                "-validity",
                "3650",
                "-storetype",
                "PKCS12",
                "-keystore",
                file.toString(),
                "-storepass",
                new String(PASSWORD))
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("keytool.log").toFile())
            .start();
    assertThat(keytool.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(keytool.exitValue()).isZero();
    keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(file)) {
      keys.load(in, PASSWORD);
    }
  }

  @AfterEach
  void close() {
    run.close();
  }

  private NatsServer startServer() throws Exception {
    Key key = Objects.requireNonNull(keys.getKey(ALIAS, PASSWORD));
    Path certificate = pem("CERTIFICATE", keys.getCertificate(ALIAS).getEncoded());
    return NatsServer.start(
        "--tls",
        "--tlscert",
        certificate.toString(),
        "--tlskey",
        pem("PRIVATE KEY", key.getEncoded()).toString());
  }

  private Path pem(String kind, byte[] content) throws Exception {
    Path file = folder.resolve(kind.replace(' ', '-') + ".pem");
    Base64.Encoder lines = Base64.getMimeEncoder(64, new byte[] {'\n'});
    Files.writeString(
        file,
        "-----BEGIN "
            + kind
            + "-----\n"
            + lines.encodeToString(content)
            + "\n-----END "
            + kind
            + "-----\n");
    return file;
  }

  /** Returns a context that trusts this certificate, or those of the JDK alone. */
  private static SSLContext trusting(Certificate certificate) throws Exception {
    KeyStore trusted = KeyStore.getInstance("PKCS12");
    trusted.load(null, null);
    trusted.setCertificateEntry(ALIAS, certificate);
    TrustManagerFactory managers =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    managers.init(trusted);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, managers.getTrustManagers(), null);
    return context;
  }

  private NatsOptions options(NatsServer server, SSLContext context) {
    String url = server.url().replace("nats://", "tls://");
    return NatsOptions.builder()
        .clientOptions(NatsRun.client(url).sslContext(context).build())
        .maxConnectAttempts(1)
        .build();
  }

  @Test
  void shouldSpeakOverTlsWithServerThatItTrusts() throws Exception {
    try (NatsServer server = startServer()) {
      NatsTransport transport =
          run.transport(options(server, trusting(keys.getCertificate(ALIAS))));
      NatsEventPlane plane = NatsEventPlane.builder(transport).build();
      var subscription = plane.subscribe(run.scope, TOPIC, run.lane(), received::add);
      plane.publisher(run.scope, TOPIC, 1).publish(bytes("sealed"));
      eventually(() -> received.size() == 1);
      assertThat(received.get(0).payload()).isEqualTo(bytes("sealed"));
      subscription.close();
    }
  }

  @Test
  void shouldNotSpeakWithServerThatItDoesNotTrust() throws Exception {
    try (NatsServer server = startServer()) {
      NatsTransport transport = run.transport(options(server, SSLContext.getDefault()));
      eventually(() -> transport.status().state() == NatsState.FAILED);
      assertThat(Objects.requireNonNull(transport.status().lastFailure()).errorType())
          .isEqualTo(ErrorType.CANNOT_CONNECT);
    }
  }
}
