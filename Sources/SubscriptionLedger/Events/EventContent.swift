import AppStoreModel
import AppStoreVerification
import EventLog
import Ingestion
import LedgerModel
import Primitives

/// The content of an event as it is stored.
enum EventContent {
    case artifact(StoredArtifact)
    case answer(AnswerEvents.Stored)
    case verifyReceiptAnswer(VerifyReceiptEvents.Stored)
    case notificationV1(NotificationV1Events.Stored)
    /// The facts that the log keeps of erased evidence.
    case erased(ResidueLine)
    /// The body of any other event; nil if it is no JSON.
    case body(JSONView?)

    /// - Throws: `log_corrupt` when the evidence of a known artifact cannot be read.
    init(_ record: Record, evidence: EventEvidence?) throws {
        switch evidence {
        case .erased(let erased): self = .erased(try EventDecoder.residue(of: record, erased))
        case .verbatim(let bytes): try self.init(record, bytes: bytes)
        case nil: try self.init(record, bytes: nil)
        }
    }

    private init(_ record: Record, bytes evidence: [UInt8]?) throws {
        if let evidence, let stored = try AnswerEvents.stored(record, evidence) {
            self = .answer(stored)
        } else if let evidence, let stored = try VerifyReceiptEvents.stored(record, evidence) {
            self = .verifyReceiptAnswer(stored)
        } else if let evidence, let stored = try NotificationV1Events.stored(record, evidence) {
            self = .notificationV1(stored)
        } else if let evidence, let artifact = try EventDecoder.artifact(of: record, evidence) {
            self = .artifact(artifact)
        } else {
            self = .body(try? JSONDocument(parsing: record.body).root)
        }
    }
}

extension EventContent {
    /// The bundle id of the app that the event is about; nil when it does not state one.
    var bundleId: String? {
        switch self {
        case .artifact(let artifact): artifact.bundleId
        case .answer(let stored): stored.question.bundleId
        case .verifyReceiptAnswer(let stored): stored.question.bundleId
        case .notificationV1(let stored): stored.bundleId
        case .erased(let line): line.bundleId ?? line.facts.first?.bundleId.stated
        case .body(let body): body?["bundleId"]?.string?.stated
        }
    }
}

extension EventContent {
    var notificationUUID: String? {
        switch self {
        case .artifact(.notification(let notification)): notification.outer.payload.payload.notificationUUID
        case .erased(let line): line.notification?.notificationUUID?.bytes.text
        default: nil
        }
    }
}

extension KeyedObservation {
    fileprivate var bundleId: String {
        switch key {
        case .subscription(let key): key.bundleId
        case .appAccount(let key): key.bundleId
        }
    }
}

extension ResidueLine {
    /// The notification itself; nil for another event.
    var notification: NotificationFact? {
        facts.lazy.compactMap { keyed in
            if case .notification(let fact) = keyed.observation.fact, fact.notificationType != nil { fact } else { nil }
        }.first
    }
}

extension StoredArtifact {
    fileprivate var bundleId: String? {
        switch self {
        case .notification(let notification):
            notification.outer.payload.payload.bundleId?.stated
                ?? notification.transaction?.payload.payload.bundleId?.stated
        case .transaction(let stored): stored.payload.payload.bundleId?.stated
        // A renewal info states none.
        case .renewalInfo: nil
        case .appTransaction(let stored): stored.payload.payload.bundleId?.stated
        case .receipt(let stored): stored.receipt.payload.bundleId?.stated
        }
    }
}
