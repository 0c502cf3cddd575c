// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.policy;

import java.util.List;

/** The settings that policies are compared on. */
final class PolicySettings {

  /** Everything that the reference comparison of the two policies reports. */
  static final List<PolicySetting> ALL =
      PolicySetting.parseAll(
          """
          C 8/512/1 8/512/4 8/512/8 8/512/c64 8/512/c16 8/2048/1 8/2048/4 8/2048/8 8/2048/c64
          C 8/2048/c16 8/8192/1 8/8192/4 8/8192/8 8/8192/c64 8/8192/c16 16/512/1 16/512/4 16/512/8
          C 16/512/c128 16/512/c32 16/2048/1 16/2048/4 16/2048/8 16/2048/c128 16/2048/c32 16/8192/1
          C 16/8192/4 16/8192/8 16/8192/c128 16/8192/c32 64/512/1 64/512/4 64/512/8 64/512/c512
          C 64/512/c128 64/2048/1 64/2048/4 64/2048/8 64/2048/c512 64/2048/c128 64/8192/1 64/8192/4
          C 64/8192/8 64/8192/c512 64/8192/c128
          M 8/512/1 8/512/4 8/2048/1 8/2048/4 8/8192/1 8/8192/4 8/2048/c32 16/512/1 16/512/4
          M 16/2048/1 16/2048/4 16/8192/1 16/8192/4 16/2048/c64 64/512/1 64/512/4 64/2048/1
          M 64/2048/4 64/8192/1 64/8192/4 64/2048/c256
          S 8/512/1 16/2048/1 16/8192/4 64/2048/1 8/8192/4 16/512/4 64/512/8 16/2048/8 16/2048/c64
          S 64/2048/c256
          C~ 8/512/1 8/2048/1 8/8192/1 8/2048/4 16/2048/4 16/2048/8 64/2048/8 16/2048/1 64/512/8
          S~ 8/2048/1 8/2048/4 16/2048/8
          """);

  /** Those of {@link #ALL} that a thousand requests serve in a moment. */
  static final List<PolicySetting> QUICK =
      PolicySetting.parseAll("M 8/2048/1 8/512/1 16/2048/4 8/2048/c32");

  /** Recorded with Dynamo's own simulation. */
  static final List<PolicySetting> RECORDED =
      PolicySetting.parseAll(
          """
          M 8/512/1 8/2048/1 8/8192/1 64/2048/8
          C 8/512/1 8/2048/1 8/8192/1 64/512/8 64/2048/8 64/8192/8
          S 8/2048/1 64/2048/8
          """);

  /** What the disturbances are tried on. */
  static final List<PolicySetting> DISTURBED =
      PolicySetting.parseAll(
          """
          C 8/2048/1 8/2048/4 16/2048/8 64/2048/8
          S 8/2048/4
          """);

  private PolicySettings() {}
}
