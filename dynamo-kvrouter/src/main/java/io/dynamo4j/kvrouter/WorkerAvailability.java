// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.model.WorkerWithDpRank;

/** What eligibility asks of a worker's recent past. */
interface WorkerAvailability {

  /** Knows nothing bad of anybody. */
  WorkerAvailability ALL =
      new WorkerAvailability() {
        @Override
        public boolean isDraining(WorkerWithDpRank worker) {
          return false;
        }

        @Override
        public boolean isInhibited(WorkerWithDpRank worker) {
          return false;
        }
      };

  /** Returns whether the worker takes no new requests on purpose. */
  boolean isDraining(WorkerWithDpRank worker);

  /** Returns whether the worker failed just now and is better avoided. */
  boolean isInhibited(WorkerWithDpRank worker);
}
