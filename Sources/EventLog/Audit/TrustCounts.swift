/// The numbers of events by the reason to trust them. Only those of `signed` can be proven to others: by Apple's
/// signature, or by that of a configured root.
package struct TrustCounts: Hashable, Sendable {
    package private(set) var events: [TrustClass: UInt64] = [:]
    /// The number of events that rest on a root that an operator configured; they are counted in their class as well.
    package private(set) var configuredRoot: UInt64 = 0

    package init() {}

    mutating func add(_ trust: TrustClass, _ flags: RecordFlags) {
        events[trust, default: 0] += 1
        if flags.contains(.configuredRoot) { configuredRoot += 1 }
    }
}
