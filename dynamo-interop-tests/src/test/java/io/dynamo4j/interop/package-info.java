// SPDX-License-Identifier: Apache-2.0
/** Modules together over real sockets and files, with peers of this library and with Dynamo's. */
@NullMarked
package io.dynamo4j.interop;

import org.jspecify.annotations.NullMarked;
