// SPDX-License-Identifier: Apache-2.0
/** What a decision of the router costs against Dynamo's own. */
@NullMarked
package io.dynamo4j.benchmarks.router;

import org.jspecify.annotations.NullMarked;
