// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.tree;

/** The indexes that scenarios of other kinds run as well. */
public final class Indexes {
  /** Explains answers of the recorded peer that hang on what other ranks hold or held. */
  public static final String SHARED_STATE = TreeReplay.SHARED_STATE;

  private Indexes() {}

  /** Returns the index under test. */
  public static Index ours() {
    return new OurIndex();
  }

  /** Returns the right answers in plain collections. */
  public static Index exact() {
    return new ExactIndex();
  }

  /** Returns the recorded peer's tree, faults included. */
  public static Index peer() {
    return new PeerTree(PeerTree.Form.CONCURRENT);
  }
}
