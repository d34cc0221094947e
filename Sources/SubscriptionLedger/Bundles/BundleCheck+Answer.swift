import EventLog
import FactStore
import Ingestion
import LedgerAPI
import LedgerConfiguration
import LedgerModel
import LedgerStorage
import Primitives
import TransparencyLog

extension BundleCheck {
    /// Check 7: the events of the bundle give the answer, under its rules.
    ///
    /// The events become a ledger of their own in a temporary folder, which is asked the same question by the same code.
    func checkAnswer() throws -> String {
        let answer = try json(BundlePath.answer)
        guard let question = answer["question"].flatMap({ BundleQuestion($0) }), let stated = answer["answer"],
            answer["schema"]?.integer == 1
        else { throw BundleFinding(BundlePath.answer, "not an answer of this form") }
        guard
            try json(BundlePath.description)["question"].map({ JSONValue($0) })
                == answer["question"].map({ JSONValue($0) })
        else { throw BundleFinding(BundlePath.description, "another question than the answer") }
        guard let checkpoint, question.knownAt <= checkpoint.size else {
            throw BundleFinding(BundlePath.answer, "knows more events than the checkpoint")
        }
        let rules = try checkedRules(answer)
        try checkZone(answer)
        if case .transaction = question.subject, events.contains(where: { $0.state == .erased }) {
            return "not compared: the claims of the transaction were erased"
        }
        let folder = DataFolder(path: try Folder.temporary().path)
        defer { try? Folder(folder.path).remove() }
        let fold: BundleFold
        do {
            fold = try ledger(in: folder, size: question.knownAt).fold(question, rules)
        } catch let error as any DiagnosedError where !(error is StorageError) || error.diagnosis.code == "log_corrupt"
        {
            throw BundleFinding(BundlePath.answer, error.diagnosis.sentences)
        }
        return try compare(fold, question, stated, answer)
    }

    private func compare(
        _ fold: BundleFold, _ question: BundleQuestion, _ stated: JSONView, _ answer: JSONView
    ) throws -> String {
        var notes: [String] = []
        var stated = JSONValue(stated)
        if case .close = question.subject, case .object(let members) = stated {
            stated = .object(members.filter { $0.key != "recomputed" })
            notes.append("recomputed is the operator's word")
        }
        if let members = fold.members { notes.append(try checkMembers(members, question, stated)) }
        if !isSampled(question) {
            guard let difference = JSONDifference.first(fold.answer, stated) else { return try given(stated, notes) }
            throw BundleFinding(BundlePath.answer, difference)
        }
        return try given(stated, notes)
    }

    /// Reads the rules. If an event activated them, it has the same.
    private func checkedRules(_ answer: JSONView) throws -> Rules {
        guard let rules = Rules(json: try json(BundlePath.rules)),
            rules.digest.hex == answer["rules"]?["digest"]?.string
        else { throw BundleFinding(BundlePath.rules, "other rules than those of the answer") }
        guard let position = answer["rules"]?["position"]?.integer else { return rules }
        guard events.contains(where: { $0.position == Position(clamping: position) }),
            try RulesEvents.activation(in: record(at: Position(clamping: position)))?.rules == rules
        else { throw BundleFinding(BundlePath.rules, "not those activated at position \(position)") }
        return rules
    }

    private func checkZone(_ answer: JSONView) throws {
        guard let zone = answer["zone"], !zone.isNull else { return }
        guard let name = zone["name"]?.string, let digest = zone["digest"]?.string,
            JSONValue(try json(BundlePath.zone)) == JSONValue(zone)
        else { throw BundleFinding(BundlePath.zone, "another time zone than the answer's") }
        guard try TimeZoneDatabase.table(named: name).digest.hex == digest else {
            throw BundleFinding(BundlePath.zone, "this machine has another table of \(name): install the same tzdata")
        }
    }

    /// Returns the facts of an event. Those of erased evidence are in the event that erased it.
    private func facts(of record: Record, _ state: BundleEntry.State, _ evidence: [UInt8]?) throws -> IndexedFacts {
        if state == .erased {
            return try erasure(of: record.position).map { try EventDecoder.indexedFacts(record, .erased($0)) } ?? .none
        }
        guard let evidence else { return .none }
        guard state == .withheld else { return try EventDecoder.indexedFacts(record, .verbatim(evidence)) }
        return try AnswerEvents.stored(record, evidence, withoutRefused: true).map { IndexedFacts($0.facts) } ?? .none
    }

    /// Makes a ledger of the events of the bundle.
    private func ledger(in folder: DataFolder, size: Position) throws -> LedgerReader {
        try folder.create()
        let mapSizeBytes = 8 << 30
        var end = size
        var facts: [IndexedEvent] = []
        do {
            let log = try PartialLog(directory: folder.log, mapSizeBytes: mapSizeBytes)
            for (position, state) in events {
                let record = try record(at: position)
                let evidence = try evidence(of: record, state)
                try log.append(record, evidence: state == .present ? evidence : nil)
                facts.append(
                    IndexedEvent(
                        position: position, recordedAt: record.recordedAt,
                        facts: try self.facts(of: record, state, evidence)))
                end = max(end, position + 1)
            }
            let isLastKnown = facts.last.map { $0.position == end - 1 } ?? false
            let recordedAt = facts.last?.recordedAt ?? .earliest
            if !isLastKnown, end > 0 {
                facts.append(IndexedEvent(position: end - 1, recordedAt: recordedAt, facts: .none))
            }
            if end > 0 { try log.finish(size: end, recordedAt: recordedAt, isLastKnown: isLastKnown) }
        }
        if !facts.isEmpty { try FactIndex.store(facts, in: folder, mapSizeBytes: mapSizeBytes) }
        var configuration = Ledger.Configuration(folder: folder) { .latest }
        configuration.mapSizeBytes = mapSizeBytes
        return try LedgerReader(configuration)
    }

    private func isSampled(_ question: BundleQuestion) -> Bool {
        if case .cell(let cell) = question.subject { cell.sample != nil } else { false }
    }

    /// Compares the members of a cell with their lines. Of a sample, those that nobody could choose must be there.
    private func checkMembers(
        _ members: [CohortMemberRow], _ question: BundleQuestion, _ stated: JSONValue
    ) throws -> String {
        let bytes = try read(BundlePath.members)
        let lines = bytes.split(separator: UInt8(ascii: "\n")).map { Array($0) }
        guard stated[member: "membersSha256"]?.canonical() == JSONValue(Digest.sha256(of: bytes).hex).canonical(),
            stated[member: "members"]?.canonical() == JSONValue(lines.count).canonical()
        else { throw BundleFinding(BundlePath.members, "other members than the answer counts") }
        let folded = Set(members.map { $0.json.read.canonical() })
        guard case .cell(let cell) = question.subject, let sample = cell.sample, let root = checkpoint?.root else {
            guard CohortMemberRow.lines(of: members) == bytes else {
                throw BundleFinding(BundlePath.members, "the events give other members")
            }
            return "\(lines.count) members"
        }
        guard folded.isSubset(of: lines) else {
            throw BundleFinding(BundlePath.members, "the events give other members")
        }
        let order = try lines.map { line -> (Digest, [UInt8]) in
            guard let json = try? JSONDocument(parsing: line).root, let id = SubscriptionID(json) else {
                throw BundleFinding(BundlePath.members, "not lines of members")
            }
            return (id.samplingOrder(under: root), line)
        }
        for (_, line) in order.sorted(by: { $0.0 < $1.0 }).prefix(sample) where !folded.contains(line) {
            throw BundleFinding(BundlePath.members, "the events of a member in the sample are missing")
        }
        return "\(min(sample, lines.count)) of \(lines.count) members, chosen by the root of the log"
    }

    /// Compares the answer that somebody was given, apart from positions and recorded times.
    private func given(_ stated: JSONValue, _ notes: [String]) throws -> String {
        guard zip.contains(BundlePath.given) else { return notes.joined(separator: ", ") }
        guard let root = try? JSONDocument(parsing: read(BundlePath.given)).root, root.isObject else {
            throw BundleFinding(BundlePath.given, "not a JSON object")
        }
        let (given, answer) = (JSONValue(root).withoutPositions, stated.withoutPositions)
        guard case .object(let members) = given else { return "" }
        for member in members where !["id", "handle"].contains(member.key) {
            guard let expected = answer[member: member.key] else { continue }
            if let difference = JSONDifference.first(member.value, expected, at: member.key) {
                throw BundleFinding(BundlePath.given, difference)
            }
        }
        guard members.contains(where: { answer[member: $0.key] != nil }) else {
            throw BundleFinding(BundlePath.given, "has no member of the answer")
        }
        return (notes + ["the given answer is the same"]).joined(separator: ", ")
    }
}

/// Finds the first place at which two JSON values differ.
enum JSONDifference {
    /// - Returns: the place and both values, shortened; nil for equal values.
    static func first(_ found: JSONValue, _ stated: JSONValue, at path: String = "answer") -> String? {
        guard found.canonical() != stated.canonical() else { return nil }
        switch (found, stated) {
        case (.object(let left), .object(let right)):
            for key in Set(left.map(\.key) + right.map(\.key)).sorted() {
                let values = (found[member: key] ?? .null, stated[member: key] ?? .null)
                if let difference = first(values.0, values.1, at: "\(path).\(key)") { return difference }
            }
        case (.array(let left), .array(let right)) where left.count == right.count:
            for (index, values) in zip(left, right).enumerated() {
                if let difference = first(values.0, values.1, at: "\(path)[\(index)]") { return difference }
            }
        default: break
        }
        return "\(path) is \(text(stated)), the events give \(text(found))"
    }

    private static func text(_ value: JSONValue) -> String {
        let text = String(decoding: value.canonical(), as: UTF8.self)
        return text.utf8.count > 120 ? "\(text.prefix(117))…" : text
    }
}

extension JSONValue {
    /// The value as it is read from its text: with the members of rows that were rendered before.
    var read: JSONValue {
        (try? JSONDocument(parsing: Array(serialized().utf8)).root).map { JSONValue($0) } ?? self
    }

    subscript(member key: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.key == key }?.value
    }

    /// The value without the members that depend on where and when a ledger recorded events.
    fileprivate var withoutPositions: JSONValue {
        switch self {
        case .array(let elements): .array(elements.map(\.withoutPositions))
        case .object(let members):
            .object(
                members.filter { !["evidence", "knownAt", "recordedAt", "position"].contains($0.key) }
                    .map { Member($0.key, $0.value.withoutPositions) })
        default: self
        }
    }
}
