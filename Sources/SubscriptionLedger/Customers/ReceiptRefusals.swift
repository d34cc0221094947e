import Primitives
import Synchronization

/// The newest refusals of receipts. An app refreshes a refused receipt once, never in a loop.
final class ReceiptRefusals: Sendable {
    private static let memory = Instant.millisecondsPerHour
    /// The oldest half is forgotten beyond this number.
    private static let limit = 16_384

    private let refusals = Mutex<[Digest: Instant]>([:])

    /// Returns what the app can do about a refused receipt, and remembers the refusal: `refreshReceiptOnce`, or `none`
    /// when a receipt of the customer was refused within the last hour.
    func advice(to posting: TransactionPosting, at now: Instant) -> String {
        let customer =
            posting.customerId ?? posting.handle ?? posting.deviceGUID.map { "\($0)" } ?? posting.receipt ?? ""
        let name = Digest.sha256(of: customer.utf8)
        return refusals.withLock { refusals in
            if refusals.count >= Self.limit { Self.forgetHalf(of: &refusals) }
            let last = refusals.updateValue(now, forKey: name)
            return last.map { now < $0.advanced(byMilliseconds: Self.memory) } == true
                ? Advice.none : Advice.refreshReceiptOnce
        }
    }

    private static func forgetHalf(of refusals: inout [Digest: Instant]) {
        let middle = refusals.values.sorted()[refusals.count / 2]
        refusals = refusals.filter { $0.value > middle }
    }
}

extension Advice {
    static let refreshReceiptOnce = "refreshReceiptOnce"
    static let none = "none"
    /// Apple is asked about the receipt.
    static let postAgain = "postAgain"
}
