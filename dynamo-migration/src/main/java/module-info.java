// SPDX-License-Identifier: Apache-2.0
import org.jspecify.annotations.NullMarked;

/** Carries one stream through the failure of the worker that produces it. */
@NullMarked
module io.dynamo4j.migration {
  requires static transitive org.jspecify;
  requires transitive io.dynamo4j.core;
  requires org.slf4j;

  exports io.dynamo4j.migration;
  exports io.dynamo4j.migration.event;
  exports io.dynamo4j.migration.text;
}
