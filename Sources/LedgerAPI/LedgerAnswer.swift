/// An answer with the knowledge behind it.
package protocol LedgerAnswer: JSONRepresentable {
    /// The number of events on which the answer is based.
    var knownAt: UInt64 { get }
}

extension Answer: LedgerAnswer {}
extension CustomerAnswer: LedgerAnswer {}
