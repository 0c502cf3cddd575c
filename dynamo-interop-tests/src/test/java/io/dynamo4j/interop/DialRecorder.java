// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.interop;

import java.security.Permission;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;

/**
 * Notes every port that this process dials, whatever library does it: the JDK asks its security
 * manager before each connect. Permits everything.
 */
@SuppressWarnings("removal") // Nothing else sees every connect of a process from within.
public final class DialRecorder extends SecurityManager {
  private final Set<Integer> ports = new ConcurrentSkipListSet<>();

  /** Made by the JDK, by the name of this class in {@code java.security.manager}. */
  public DialRecorder() {}

  @Override
  public void checkConnect(String host, int port) {
    if (port >= 0) {
      ports.add(port); // Less than 0 is the look-up of a name.
    }
  }

  @Override
  public void checkPermission(Permission permission) {}

  @Override
  public void checkPermission(Permission permission, Object context) {}

  /** Returns the ports that this process has dialled so far. */
  static Set<Integer> ports() {
    if (System.getSecurityManager() instanceof DialRecorder recorder) {
      return recorder.ports;
    }
    throw new IllegalStateException("process records no dials");
  }
}
