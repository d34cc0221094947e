import AppStoreVerification
import EventLog
import FactStore
import Ingestion
import LedgerModel
import Primitives

/// A page of an answer of Apple's, without the parts that concern others.
struct BundlePage {
    /// RFC 8785 JSON: null stands for each removed JWS, and an empty object for each removed item. So every other part
    /// keeps its path.
    let json: [UInt8]
    /// The JWS that stay, in the order of the page.
    let parts: [[UInt8]]

    /// Removes the parts without a subscription among the subjects; nil when no part concerns others.
    /// - Throws: `log_corrupt`.
    init?(_ record: Record, _ evidence: [UInt8], keys: Set<SubscriptionKey>) throws {
        guard let stored = try AnswerEvents.stored(record, evidence) else { return nil }
        let ids = Set(keys.map(\.originalTransactionId))
        var removed: Set<String> = []
        var concernsOthers = stored.answer.items.contains { item in
            item.originalTransactionId.map { !ids.contains($0) } ?? false
        }
        for (part, artifact) in zip(stored.answer.parts, stored.parts) {
            guard let artifact else {
                removed.insert(String(decoding: part.text, as: UTF8.self))
                continue
            }
            let observations = EventDecoder.facts(of: artifact, bundleId: stored.question.bundleId).observations
            let subjects = observations.compactMap { keyed -> SubscriptionKey? in
                if case .subscription(let key) = keyed.key { key } else { nil }
            }
            guard !subjects.isEmpty, !subjects.contains(where: keys.contains) else { continue }
            concernsOthers = true
            removed.insert(String(decoding: part.text, as: UTF8.self))
        }
        guard concernsOthers else { return nil }
        json = Self.without(removed, ids, stored.answer.document.root).canonical()
        parts = Self.texts(in: json)
    }

    private static func without(_ removed: Set<String>, _ ids: Set<String>, _ json: JSONView) -> JSONValue {
        if let text = json.string { return removed.contains(text) ? .null : .string(text) }
        if let elements = json.elements { return .array(elements.map { without(removed, ids, $0) }) }
        guard json.isObject else { return JSONValue(json) }
        if let id = json["originalTransactionId"]?.string, !ids.contains(id) { return .object([JSONValue.Member]()) }
        return .object(json.members.map { .init($0.key, without(removed, ids, $0.value)) })
    }

    /// The JWS of a page, in its order.
    static func texts(in page: [UInt8]) -> [[UInt8]] {
        guard let document = try? JSONDocument(parsing: page) else { return [] }
        return ServerAPIAnswer(document)?.parts.map(\.text) ?? []
    }
}
