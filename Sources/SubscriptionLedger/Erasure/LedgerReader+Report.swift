import AppStoreModel
import AppStoreVerification
import EventLog
import FactStore
import Ingestion
package import LedgerAPI
import LedgerModel
import Primitives

extension LedgerReader {
    /// Returns all that is held on a person.
    ///
    /// Evidence that also concerns another customer is left out; the person's own signed parts of it and the facts about
    /// the person's purchases are in the report.
    /// - Parameter id: the caller's id, an appAccountToken or a handle.
    /// - Throws: `customer_id_invalid`, `customer_unknown` when nothing is held on the id; `StorageError`.
    package func report(on id: String) throws -> CustomerReport {
        var search = try PersonSearch(in: self)
        guard let person = try search.records(of: id) else { throw CustomerError.customerUnknown }
        let now = configuration.clock()
        var report = CustomerReport(writtenAt: now, knownAt: facts.size, id: id)
        if case .customer(let handle) = person.owner {
            report.handle = handle.hex
            report.mergedHandles = person.handles.filter { $0 != handle }.map(\.hex).sorted()
        }
        report.appAccountTokens = person.tokens.map(\.text).sorted()
        report.ids = person.ids.subtracting(report.appAccountTokens).sorted()
        report.states = try states(of: person, id, at: now)
        var transactions: [ObservationName: KeyedObservation] = [:]
        for position in person.positions {
            let shared = try search.isShared(position, with: person)
            report.events.append(try event(at: position, about: person, isShared: shared))
            for keyed in try search.observations(at: position) where person.concerns(keyed) {
                if case .transaction = keyed.observation.fact { transactions[keyed.observation.source.name] = keyed }
            }
            try add(position, of: person, to: &report)
        }
        report.transactions = transactions.values.sorted {
            $0.observation.source.precedes($1.observation.source)
        }.map(FactDescription.json)
        return report
    }

    private func states(of person: PersonRecords, _ id: String, at now: Instant) throws -> [JSONValue] {
        let environments = Set(person.keys.map(\.environment)).union([.production])
        return try environments.sorted { $0.rawValue < $1.rawValue }.map { environment in
            let answer = try customer(
                id, AsOfQuery(asOf: now), scope: CustomerScope(environment: environment)
            ).json
            return .object(["environment": .string(environment.rawValue), "customer": answer])
        }
    }

    /// Adds one of the ledger's own events about the customer.
    private func add(_ position: Position, of person: PersonRecords, to report: inout CustomerReport) throws {
        guard let found = try facts.facts(at: position), let fact = found.facts?.customerFact,
            let record = try log.record(at: position)
        else { return }
        let row = JSONValue.object([
            "position": JSONValue(position: position), "recordedAt": JSONValue(found.recordedAt),
            "kind": .string(record.kind.name), "body": .verbatim(record.body),
        ])
        switch fact {
        case .claim, .refusedClaim, .transfer, .download, .token: report.links.append(row)
        case .directory: report.merges.append(row)
        case .grant: report.grants.append(row)
        case .consent: report.consumptionConsent = row
        }
    }

    /// Returns an event with its evidence: text as it is, other bytes in base64.
    private func event(at position: Position, about person: PersonRecords, isShared: Bool) throws -> JSONValue {
        guard let record = try log.record(at: position), let evidence = try log.eventEvidence(at: position),
            case .object(var members)? = try event(at: position, facts: false)?.json
        else { return .null }
        // The purchase in the summary may be another customer's.
        if isShared { members.removeAll { $0.key == "about" } }
        let facts = try EventDecoder.facts(record, evidence)?.observations ?? []
        members.append(.init("facts", .array(facts.filter { person.concerns($0) }.map(FactDescription.json))))
        members.append(.init("isShared", .bool(isShared)))
        if let bytes = evidence.verbatim, !bytes.isEmpty {
            let whole = isShared ? .null : Self.text(of: bytes)
            let parts = isShared ? try signedParts(of: record, bytes, about: person) : []
            members.append(.init("content", whole))
            if !parts.isEmpty { members.append(.init("parts", .array(parts))) }
        }
        return .object(members)
    }

    private static func text(of bytes: [UInt8]) -> JSONValue {
        .string(String(validating: bytes, as: UTF8.self) ?? Base64.encode(bytes))
    }

    /// Returns the JWS of an answer of the App Store Server API about the person's purchases.
    private func signedParts(
        of record: Record, _ evidence: [UInt8], about person: PersonRecords
    ) throws -> [JSONValue] {
        guard let stored = try AnswerEvents.stored(record, evidence) else { return [] }
        return zip(stored.answer.parts, stored.parts).compactMap { part, artifact in
            guard let artifact else { return nil }
            let facts = EventDecoder.facts(of: artifact, bundleId: stored.question.bundleId).observations
            return facts.contains { person.concerns($0) } ? Self.text(of: part.text) : nil
        }
    }
}

extension PersonRecords {
    /// Whether an observation is about a purchase or a download of the person.
    func concerns(_ keyed: KeyedObservation) -> Bool {
        switch keyed.key {
        case .subscription(let key): keys.contains(key)
        case .appAccount(let account): accounts.contains(account)
        }
    }
}
