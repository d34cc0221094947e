package import Primitives

/// The restriction of an answer to the statements that Apple signed by an instant.
package struct SignedBy: Hashable, Sendable {
    package var instant: Instant
    /// The purchases and revocations dated by then of which nothing signed by then speaks.
    package var signedLater: Int

    package init(_ instant: Instant, signedLater: Int) {
        self.instant = instant
        self.signedLater = signedLater
    }
}

extension SignedBy? {
    /// Returns the members of every answer.
    func members(asOf: Instant, knownAt: UInt64) -> [JSONValue.Member] {
        let known: [JSONValue.Member] = [
            .init("asOf", JSONValue(asOf)), .init("knownAt", JSONValue(position: knownAt)),
        ]
        guard let self else { return known }
        return known + [
            .init("signedBy", JSONValue(self.instant)), .init("signedLater", .integer(Int64(self.signedLater))),
        ]
    }
}
