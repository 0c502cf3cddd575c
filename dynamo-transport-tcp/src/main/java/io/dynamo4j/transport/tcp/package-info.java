// SPDX-License-Identifier: Apache-2.0
/**
 * Dynamo's TCP request plane: requests over pooled connections, answers on connections that the
 * worker dials back.
 *
 * <pre>{@code
 * try (TcpRequestPlane<PreprocessedRequest, LLMEngineOutput> plane =
 *     TcpRequestPlane.builder(PayloadCodec.generate(), environment)
 *         .options(TcpOptions.builder().addressPolicy(AddressPolicy.networks("10.0.0.0/8")).build())
 *         .build()) {
 *   plane.send(instance, request, attempt).subscribe(subscriber);
 * }
 * }</pre>
 *
 * <p>The plane has neither encryption nor authentication: whoever reaches its ports may speak it.
 */
@NullMarked
package io.dynamo4j.transport.tcp;

import org.jspecify.annotations.NullMarked;
