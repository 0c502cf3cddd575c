// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

/**
 * What a router knows of other routers, and what happened between them since it started.
 *
 * @param routerId this router's id, an unsigned 64-bit pattern
 * @param routers other routers that are heard of
 * @param bookings their bookings
 * @param silentNanos how long nothing was heard of the one that is silent longest, 0 without others
 * @param behind routers of which something is known to be missing
 * @param published events sent
 * @param unpublished events not sent because too many waited, or the plane was closed
 * @param applied events taken over
 * @param unmatched events about bookings that are not known, or known newer
 * @param duplicates messages that had arrived before
 * @param foreign events and messages about bookings of somebody else, ignored
 * @param undecodable messages and events that could not be read
 * @param workerMarks prefills that workers themselves said were computed
 * @param snapshotRequests snapshots asked for
 * @param snapshotAnswers snapshots sent
 * @param snapshots snapshots taken over
 * @param expiredRouters routers whose lease ended
 * @param expiredBookings bookings that ended with their router's lease or by age
 * @param connected whether this router is on the event plane; one that cannot join it routes alone
 *     and tries again
 */
public record ReplicaSyncStatus(
    long routerId,
    int routers,
    int bookings,
    long silentNanos,
    int behind,
    long published,
    long unpublished,
    long applied,
    long unmatched,
    long duplicates,
    long foreign,
    long undecodable,
    long workerMarks,
    long snapshotRequests,
    long snapshotAnswers,
    long snapshots,
    long expiredRouters,
    long expiredBookings,
    boolean connected) {}
