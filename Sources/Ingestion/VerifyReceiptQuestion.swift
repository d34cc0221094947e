package import AppStoreModel
package import EventLog
package import Primitives

/// A question to verifyReceipt about one app in one environment, or an answer in a file as if it had been asked for.
package struct VerifyReceiptQuestion: Hashable, Sendable {
    package let bundleId: String
    package let environment: Environment
    /// The SHA-256 of the signed content of the receipt that was sent; nil for an answer in a file.
    package let receipt: Digest?
    /// Nil for an answer in a file, of which nobody knows how it was asked for.
    package let excludesOldTransactions: Bool?
    /// The date of the reply, for an answer without a date of its own; in a file the newest date in the answer.
    package let receivedAt: Instant

    package init(
        bundleId: String, environment: Environment, receipt: Digest?, excludesOldTransactions: Bool?,
        receivedAt: Instant
    ) {
        (self.bundleId, self.environment, self.receipt) = (bundleId, environment, receipt)
        (self.excludesOldTransactions, self.receivedAt) = (excludesOldTransactions, receivedAt)
    }

    private static let endpoint = "verifyReceipt"

    /// The key of an answer.
    func idempotencyKey(of answer: Digest) -> IdempotencyKey {
        let words = [Self.endpoint, bundleId, receipt?.hex ?? "", excludesOldTransactions == true ? "newest" : "all"]
        let text: [UInt8] = words.flatMap { (word: String) -> [UInt8] in Array(word.utf8) + [0] }
        return IdempotencyKey(
            artifact: .verifyReceiptAnswer, environment: EnvironmentCode(name: environment.rawValue) ?? .none,
            key: text + answer.bytes)
    }

    /// The members of the body of an event.
    var members: [JSONValue.Member] {
        [
            .init("endpoint", .string(Self.endpoint)), .init("bundleId", .string(bundleId)),
            .init("receipt", JSONValue(receipt?.hex)),
            .init("excludesOldTransactions", excludesOldTransactions.map { .bool($0) } ?? .null),
            .init("receivedAt", .integer(receivedAt.milliseconds)),
        ]
    }

    /// Reads the question of an event; nil for an event of another kind.
    package init?(askedIn record: Record) {
        guard record.artifact == .verifyReceiptAnswer, let body = try? JSONDocument(parsing: record.body).root else {
            return nil
        }
        self.init(body, record.environment)
    }

    /// Reads the body of an event.
    init?(_ body: JSONView, _ environment: EnvironmentCode) {
        guard body["endpoint"]?.string == Self.endpoint, let bundleId = body["bundleId"]?.string,
            let excludes = body["excludesOldTransactions"], let receivedAt = body["receivedAt"]?.integer,
            let environment = environment.name.flatMap({ Environment(known: $0) })
        else { return nil }
        self.init(
            bundleId: bundleId, environment: environment, receipt: body["receipt"]?.string.flatMap { Digest(hex: $0) },
            excludesOldTransactions: excludes.bool, receivedAt: Instant(milliseconds: receivedAt))
    }
}
