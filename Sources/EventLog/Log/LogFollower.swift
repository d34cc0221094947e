/// Who derives something from the log and answers, for the writer, which identities are in it.
///
/// Identities are looked up in a random order, so they live with what is derived, not in the log: the follower knows
/// those it has stored, the writer remembers the rest.
package struct LogFollower: Sendable {
    /// The position an identity stands at, of the events that are applied.
    package var storedIdentity: @Sendable (Identity) throws -> UInt64?
    /// Every identity of the events that are in the log but not applied, in log order. Asked before the first append
    /// after opening, and after a failed commit.
    package var unappliedIdentities: @Sendable () throws -> [(Identity, UInt64)]
    /// How many events are applied and durable there.
    package var appliedSize: @Sendable () -> UInt64
    /// Called on the writer's thread with what has just become durable, before its callers are answered.
    package var committed: @Sendable ([CommittedEvent]) -> Void

    package init(
        storedIdentity: @escaping @Sendable (Identity) throws -> UInt64?,
        unappliedIdentities: @escaping @Sendable () throws -> [(Identity, UInt64)],
        appliedSize: @escaping @Sendable () -> UInt64, committed: @escaping @Sendable ([CommittedEvent]) -> Void
    ) {
        self.storedIdentity = storedIdentity
        self.unappliedIdentities = unappliedIdentities
        self.appliedSize = appliedSize
        self.committed = committed
    }
}
