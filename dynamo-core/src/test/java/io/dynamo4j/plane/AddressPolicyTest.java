// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.plane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AddressPolicyTest {

  @Test
  void shouldAllowThisMachineAloneByDefault() {
    AddressPolicy policy = AddressPolicy.loopback();
    assertThat(allows(policy, "127.0.0.1")).isTrue();
    assertThat(allows(policy, "127.9.9.9")).isTrue();
    assertThat(allows(policy, "::1")).isTrue();
    assertThat(allows(policy, "10.0.0.1")).isFalse();
    assertThat(allows(policy, "169.254.169.254")).isFalse();
    assertThat(allows(policy, "0.0.0.0")).isFalse();
  }

  @Test
  void shouldAllowNetworksToTheBit() {
    AddressPolicy policy = AddressPolicy.networks("10.1.0.0/16", "192.168.4.0/22", "fd00::/9");
    assertThat(allows(policy, "127.0.0.1")).isTrue();
    assertThat(allows(policy, "10.1.255.1")).isTrue();
    assertThat(allows(policy, "10.2.0.1")).isFalse();
    assertThat(allows(policy, "192.168.7.255")).isTrue();
    assertThat(allows(policy, "192.168.8.0")).isFalse();
    assertThat(allows(policy, "fd7f::1")).isTrue();
    assertThat(allows(policy, "fd80::1")).isFalse();
    assertThat(allows(AddressPolicy.networks("0.0.0.0/0"), "8.8.8.8")).isTrue();
    assertThat(allows(AddressPolicy.any(), "8.8.8.8")).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"10.0.0.0", "10.0.0.0/33", "10.0.0.0/-1", "ten/8", "host/8", "10.0.0.0/"})
  void shouldRefuseNetworkThatIsNone(String network) {
    assertThatThrownBy(() -> AddressPolicy.networks(network))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("=");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"localhost", "example.com", "", "1.2.3", "1.2.3.400", "2130706433", "a:b:z"})
  void shouldRefuseHostThatIsNoLiteralAddress(String host) {
    assertThatThrownBy(() -> AddressPolicy.literal(host, 1))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private static boolean allows(AddressPolicy policy, String host) {
    return policy.allows(AddressPolicy.literal(host, 80));
  }
}
