/// An answer with the state of knowledge behind it.
package protocol LedgerAnswer: JSONRepresentable {
    /// The number of events the answer rests on.
    var knownAt: UInt64 { get }
}

extension Answer: LedgerAnswer {}
extension CustomerAnswer: LedgerAnswer {}
