// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.zmq;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Brokers between publishers and subscribers: addresses that publishers dial, and those that
 * subscribers dial.
 */
public final class ZmqBrokers {
  private static final String URL = "DYN_ZMQ_BROKER_URL";

  private final List<String> forPublishers;
  private final List<String> forSubscribers;

  private ZmqBrokers(List<String> forPublishers, List<String> forSubscribers) {
    this.forPublishers = List.copyOf(forPublishers);
    this.forSubscribers = List.copyOf(forSubscribers);
    if (forPublishers.isEmpty() || forSubscribers.isEmpty()) {
      throw new IllegalArgumentException(
          "brokers need an address each way: xsub=" + forPublishers + ", xpub=" + forSubscribers);
    }
  }

  /** Takes addresses such as {@code tcp://10.0.0.9:5555}, one or more each way. */
  public static ZmqBrokers of(List<String> forPublishers, List<String> forSubscribers) {
    return new ZmqBrokers(forPublishers, forSubscribers);
  }

  /**
   * Reads what Dynamo takes as {@code DYN_ZMQ_BROKER_URL}: {@code xsub=ADDRESS;… , xpub=ADDRESS;…}.
   *
   * @throws IllegalArgumentException if a part is missing, empty or unknown
   */
  public static ZmqBrokers parse(String text) {
    List<String> publishers = new ArrayList<>();
    List<String> subscribers = new ArrayList<>();
    for (String part : text.split(",", -1)) {
      String trimmed = part.trim();
      int equals = trimmed.indexOf('=');
      List<String> addresses =
          switch (equals < 0 ? "" : trimmed.substring(0, equals).trim()) {
            case "xsub" -> publishers;
            case "xpub" -> subscribers;
            default ->
                throw new IllegalArgumentException(
                    "broker part is neither xsub nor xpub: part=" + part);
          };
      for (String address : trimmed.substring(equals + 1).split(";", -1)) {
        if (!address.isBlank()) {
          addresses.add(address.trim());
        }
      }
    }
    return of(publishers, subscribers);
  }

  /** Returns the brokers that Dynamo's variables name, null if they name none. */
  public static @Nullable ZmqBrokers fromEnvironment(Map<String, String> environment) {
    String url = environment.get(URL);
    return url == null || url.isBlank() ? null : parse(Objects.requireNonNull(url));
  }

  public List<String> forPublishers() {
    return forPublishers;
  }

  public List<String> forSubscribers() {
    return forSubscribers;
  }
}
