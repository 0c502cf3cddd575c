// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.nats;

import io.nats.client.Nats;
import io.nats.client.Options;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads the variables by which Dynamo's processes reach NATS. */
final class NatsEnvironment {
  static final String SERVER = "NATS_SERVER";

  private static final String DEFAULT_SERVER = "nats://localhost:4222";
  private static final String DEFAULT_USER = "user";
  private static final Duration PING_INTERVAL = Duration.ofSeconds(5);
  private static final Duration WRITE_TIMEOUT = Duration.ofSeconds(10);
  private static final int MAX_PINGS_OUT = 2;

  private NatsEnvironment() {}

  static Options options(Map<String, String> environment) {
    String server = set(environment, SERVER);
    Options.Builder options =
        Options.builder()
            .connectionName("dynamo4j")
            .pingInterval(PING_INTERVAL)
            .maxPingsOut(MAX_PINGS_OUT)
            .socketWriteTimeout(WRITE_TIMEOUT)
            .maxReconnects(-1)
            .errorListener(new LoggedErrors());
    try {
      options.server(server == null ? DEFAULT_SERVER : server);
      authenticate(options, environment);
      return options.build();
    } catch (IllegalArgumentException e) {
      // The value of a variable may hold a secret: its name must do.
      throw new IllegalArgumentException("environment does not describe a NATS connection", e);
    }
  }

  private static void authenticate(Options.Builder options, Map<String, String> environment) {
    String user = set(environment, "NATS_AUTH_USERNAME");
    String password = set(environment, "NATS_AUTH_PASSWORD");
    String token = set(environment, "NATS_AUTH_TOKEN");
    String nkey = set(environment, "NATS_AUTH_NKEY");
    String credentials = set(environment, "NATS_AUTH_CREDENTIALS_FILE");
    if (user != null && password != null) {
      options.userInfo(user, password);
    } else if (token != null) {
      options.token(token.toCharArray());
    } else if (nkey != null) {
      options.authHandler(Nats.staticCredentials(null, nkey.toCharArray()));
    } else if (credentials != null) {
      options.authHandler(Nats.credentials(file(credentials)));
    } else {
      options.userInfo(DEFAULT_USER, DEFAULT_USER);
    }
  }

  private static String file(String name) {
    try {
      if (Files.isReadable(Path.of(name))) {
        return name;
      }
    } catch (InvalidPathException e) {
      throw new IllegalArgumentException("credentials file has no such name: file=" + name, e);
    }
    throw new IllegalArgumentException("credentials file cannot be read: file=" + name);
  }

  private static @Nullable String set(Map<String, String> environment, String name) {
    String value = environment.get(name);
    return value == null || value.isBlank() ? null : value.strip();
  }
}
