// SPDX-License-Identifier: Apache-2.0
/** Judges that know the truth and share no code with what they judge. */
@NullMarked
package io.dynamo4j.simulation.oracle;

import org.jspecify.annotations.NullMarked;
