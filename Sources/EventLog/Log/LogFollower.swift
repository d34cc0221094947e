/// Who derives something from the log and answers, for the writer, which identities are in it.
///
/// Identities are looked up in a random order, so they live with what is derived, not in the log: the follower knows
/// those it has stored, the writer remembers the rest.
package struct LogFollower: Sendable {
    /// The first positions of those identities that stand at any, of the events that are applied. Asked once a group.
    package var storedIdentities: @Sendable ([Identity]) throws -> [Identity: UInt64]
    /// Every identity of the events that are in the log but not applied, in log order. Asked before the first append
    /// after opening, and after a failed commit.
    package var unappliedIdentities: @Sendable () throws -> [(Identity, UInt64)]
    /// How many events are applied and durable there.
    package var appliedSize: @Sendable () -> UInt64
    /// Called on the writer's thread with what has just become durable, before its callers are answered.
    package var committed: @Sendable ([CommittedEvent]) -> Void

    package init(
        storedIdentities: @escaping @Sendable ([Identity]) throws -> [Identity: UInt64],
        unappliedIdentities: @escaping @Sendable () throws -> [(Identity, UInt64)],
        appliedSize: @escaping @Sendable () -> UInt64, committed: @escaping @Sendable ([CommittedEvent]) -> Void
    ) {
        self.storedIdentities = storedIdentities
        self.unappliedIdentities = unappliedIdentities
        self.appliedSize = appliedSize
        self.committed = committed
    }
}
