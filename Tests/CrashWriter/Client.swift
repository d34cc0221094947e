import AppStoreVerification
import EventLog
import LedgerStorage
import Primitives
import SubscriptionLedger

/// One client, which repeats each call until it is answered.
struct Client {
    let number: Int
    let drafts: Drafts
    let ledger: LedgerWriter

    init(number: Int, seed: UInt64, ledger: LedgerWriter) {
        self.number = number
        drafts = Drafts(seed: seed, client: number)
        self.ledger = ledger
    }

    /// - Returns: whether the call was answered before the client was stopped.
    func make(_ call: Int, unless isStopped: () -> Bool) async throws -> Bool {
        while !isStopped() {
            do {
                let line = try await append(call).map { " \($0.position):\($0.digest.hex)" }.joined()
                Output.write("+ \(number) \(call)\(line)\n")
                return true
            } catch let error as StorageError where error.isRetryable {
                Output.write("! \(error.code.rawValue)\n")
                // A refused client waits briefly; the exact time is not important.
                try await Task.sleep(for: .milliseconds(5))
            }
        }
        return false
    }

    private func append(_ call: Int) async throws -> [(position: UInt64, digest: Digest)] {
        if let notification = drafts.notification(call) {
            let checked = await ledger.check(notification, source: .http)
            guard case .accepted = checked,
                case .appended(let appended) = try await ledger.append([checked], source: .http).first
            else { preconditionFailure("a notification of the simulated App Store is accepted: \(checked)") }
            return [(appended.position, .sha256(of: notification))]
        }
        let events = drafts.events(call)
        let appended = try await ledger.log.append(events.map(ledger.log.prepare))
        return zip(events, appended).map { event, appended in (appended.position, event.evidence.digest) }
    }
}
