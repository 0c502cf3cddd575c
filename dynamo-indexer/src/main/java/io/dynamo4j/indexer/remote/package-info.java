// SPDX-License-Identifier: Apache-2.0
/** An index served to other routers, and another router's index asked. */
@NullMarked
package io.dynamo4j.indexer.remote;

import org.jspecify.annotations.NullMarked;
