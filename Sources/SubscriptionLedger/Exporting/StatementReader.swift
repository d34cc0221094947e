import AppStoreModel
import AppStoreVerification
import EventLog
import Ingestion
package import LedgerModel
package import Primitives

/// Reads the signed payloads of observations from the evidence of their events. It keeps those of one event, since the
/// observations of an event are mostly read together.
package final class StatementReader {
    private let log: LogReader
    private var position: Position?
    private var trust = ""
    private var payloads: [Digest: JSONView] = [:]

    init(_ log: LogReader) {
        self.log = log
    }

    /// Returns the trust in an observation, and its signed payload; nil for an observation that Apple did not sign by
    /// itself.
    /// - Throws: `log_corrupt` when the event cannot be read.
    package func statement(_ source: Source) throws -> (trust: String, payload: JSONView?) {
        if position != source.position { try read(source.position) }
        return source.rank == .jws
            ? (TrustClass.signed.name, payloads[source.name.digest]) : (trust, payloads[source.name.digest])
    }

    private func read(_ position: Position) throws {
        payloads = [:]
        self.position = nil
        guard let record = try log.record(at: position), let evidence = try log.eventEvidence(at: position) else {
            return
        }
        trust = record.trust.name
        switch try EventContent(record, evidence: evidence) {
        case .artifact(let artifact): add(artifact)
        case .answer(let stored): for case let artifact? in stored.parts { add(artifact) }
        case .verifyReceiptAnswer, .notificationV1, .erased, .body: break
        }
        self.position = position
    }

    private func add(_ artifact: StoredArtifact) {
        switch artifact {
        case .notification(let notification):
            if let transaction = notification.transaction { add(.transaction(transaction)) }
            if let renewalInfo = notification.renewalInfo { add(.renewalInfo(renewalInfo)) }
        case .transaction(let stored): payloads[stored.signingInput] = stored.payload.payload.payload
        case .renewalInfo(let stored): payloads[stored.signingInput] = stored.payload.payload.payload
        case .appTransaction, .receipt: break
        }
    }
}

extension LedgerReader {
    package var statementReader: StatementReader { StatementReader(log) }
}
