// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The workers chosen for one request of a disaggregated fleet, and what is booked on each, until
 * {@link #close}.
 *
 * <p>The prefill worker's booking may be closed earlier, when its part is done; what is left of
 * both ends with this lease, once, whoever fails first.
 *
 * <p><b>Threads.</b> Any, as for {@link RequestLease}.
 */
public final class DisaggregatedLease implements AutoCloseable {
  private final @Nullable RequestLease prefill;
  private final RequestLease decode;
  private final PrefillRoute route;

  DisaggregatedLease(@Nullable RequestLease prefill, RequestLease decode, PrefillRoute route) {
    this.prefill = prefill;
    this.decode = Objects.requireNonNull(decode, "decode");
    this.route = route;
  }

  /** Returns the booking on the prefill worker, null where the decode worker does it all. */
  public @Nullable RequestLease prefill() {
    return prefill;
  }

  /**
   * Returns the booking on the decode worker. Its {@link RequestLease#selection} tells how much of
   * the prompt that worker holds already, and so what need not be sent to it.
   */
  public RequestLease decode() {
    return decode;
  }

  /** Returns who computes the prompt, and why. */
  public PrefillRoute route() {
    return route;
  }

  /** Ends both bookings; only the first call does anything. */
  @Override
  public void close() {
    if (prefill != null) {
      prefill.close();
    }
    decode.close();
  }

  @Override
  public String toString() {
    return "DisaggregatedLease[key="
        + decode.key()
        + ", route="
        + route
        + ", prefill="
        + (prefill == null ? "none" : prefill.worker())
        + ", decode="
        + decode.worker()
        + "]";
  }
}
