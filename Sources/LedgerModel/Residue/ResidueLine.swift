package import Primitives

/// The facts of an event whose evidence was erased, as a line of the residue: RFC 8785 JSON.
///
/// Unlike the stored facts, a line names every field, so that later versions and other programs can read it. It has what
/// the evidence stated, except for the appAccountTokens of the erased person and, in place of the appTransactionId, a
/// random id.
package struct ResidueLine: Hashable, Sendable {
    package let position: Position
    /// The app that a notification names, which is part of the key of its UUID. Nil for other events.
    package let bundleId: String?
    package let facts: [KeyedObservation]

    package init(position: Position, bundleId: String?, facts: [KeyedObservation]) {
        self.position = position
        self.bundleId = bundleId
        self.facts = facts
    }

    /// The line with its line feed.
    package var bytes: [UInt8] {
        let name = bundleId.map { [JSONValue.Member("bundleId", .string($0))] } ?? []
        let line = JSONValue.object(
            [.init("position", .integer(Int64(clamping: position)))] + name
                + [.init("facts", .array(facts.map { $0.residue }))])
        return line.canonical() + [UInt8(ascii: "\n")]
    }

    /// Reads a line.
    /// - Parameters:
    ///   - position: the position of the event.
    ///   - recordedAt: the time the ledger recorded it.
    /// - Returns: nil for bytes that are not the line of that event.
    package init?(_ bytes: [UInt8], position: Position, recordedAt: Instant) {
        guard let line = try? JSONDocument(parsing: bytes).root,
            line["position"]?.integer == Int64(clamping: position), let elements = line["facts"]?.elements
        else { return nil }
        let facts = elements.compactMap { KeyedObservation(residue: $0, position: position, recordedAt: recordedAt) }
        guard facts.count == elements.count else { return nil }
        self.init(position: position, bundleId: line["bundleId"]?.string, facts: facts)
    }
}

extension KeyedObservation {
    fileprivate var residue: JSONValue {
        let source = observation.source
        var members = ResidueMembers()
        members.add("kind", FactCodec.Kind(observation.fact).residueName)
        members.add("statedBy", source.name.digest)
        if source.name.path != .empty { members.add("path", source.name.path) }
        members.add("observedAt", source.time)
        members.add("rank", Int64(source.rank.rawValue))
        members.add(key)
        switch observation.fact {
        case .transaction(let fact): fact.add(to: &members)
        case .renewal(let fact): fact.add(to: &members)
        case .notification(let fact): fact.add(to: &members)
        case .app(let fact): fact.add(to: &members)
        }
        return .object(members.members)
    }

    /// - Returns: nil for an object of another form.
    fileprivate init?(residue json: JSONView, position: Position, recordedAt: Instant) {
        var fields = ResidueFields(json)
        guard let name = fields.text("kind"), let kind = FactCodec.Kind(residueName: name),
            let digest = fields.digest("statedBy"), let time = fields.instant("observedAt"),
            let rank = fields.integer("rank").flatMap({ UInt8(exactly: $0) }).flatMap(SourceRank.init(rawValue:)),
            let key = fields.key(isAppAccount: kind == .app)
        else { return nil }
        let path = fields.symbol("path") ?? .empty
        let fact: Fact
        switch kind {
        case .transaction:
            guard let transaction = TransactionFact(residue: &fields) else { return nil }
            fact = .transaction(transaction)
        case .renewal: fact = .renewal(RenewalFact(residue: &fields))
        case .notification: fact = .notification(NotificationFact(residue: &fields))
        case .app: fact = .app(AppFact(residue: &fields))
        }
        guard !fields.isDamaged else { return nil }
        let source = Source(
            name: ObservationName(digest: digest, path: path), time: time, rank: rank, position: position,
            recordedAt: recordedAt)
        self.init(key: key, observation: Observation(source: source, fact: fact))
    }
}

extension FactCodec.Kind {
    fileprivate static let all: [FactCodec.Kind] = [.transaction, .renewal, .notification, .app]

    fileprivate var residueName: String {
        switch self {
        case .transaction: "transaction"
        case .renewal: "renewalInfo"
        case .notification: "notification"
        case .app: "appTransaction"
        }
    }

    fileprivate init?(residueName name: String) {
        guard let kind = Self.all.first(where: { $0.residueName == name }) else { return nil }
        self = kind
    }
}
