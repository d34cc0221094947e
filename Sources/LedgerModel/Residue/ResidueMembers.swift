import AppStoreModel
import Primitives

/// Collects the members of a fact in the residue. Absent values are left out; instants are milliseconds, as in Apple's
/// payloads.
struct ResidueMembers {
    private(set) var members: [JSONValue.Member] = []

    private mutating func add(_ name: String, _ value: JSONValue) { members.append(.init(name, value)) }

    mutating func add(_ name: String, _ text: String?) { if let text { add(name, .string(text)) } }
    mutating func add(_ name: String, _ number: Int64?) { if let number { add(name, .integer(number)) } }
    mutating func add(_ name: String, _ flag: Bool?) { if let flag { add(name, .bool(flag)) } }
    /// Adds a flag that is false where it is absent.
    mutating func add(_ name: String, flag: Bool) { if flag { add(name, .bool(true)) } }
    mutating func add(_ name: String, _ instant: Instant?) { add(name, instant?.milliseconds) }
    mutating func add(_ name: String, _ digest: Digest?) { add(name, digest?.hex) }
    mutating func add(_ name: String, _ symbol: Symbol?) { add(name, symbol?.text) }
    mutating func add(_ name: String, _ id: AppleID?) { add(name, id?.text) }
    mutating func add(_ name: String, _ uuid: UUIDBytes?) { add(name, uuid?.text) }
    mutating func add(_ name: String, _ word: (some OpenVocabulary)?) { add(name, word?.symbol) }
    mutating func add(_ name: String, _ number: (some OpenNumericVocabulary)?) { add(name, number?.rawValue) }

    mutating func add(_ name: String, _ list: [JSONValue]) { if !list.isEmpty { add(name, .array(list)) } }

    mutating func add(_ key: TimelineKey) {
        switch key {
        case .subscription(let key):
            add("environment", key.environment)
            add("bundleId", key.bundle)
            add("originalTransactionId", key.originalTransaction)
        case .appAccount(let key):
            add("environment", key.environment)
            add("bundleId", key.bundle)
            switch key.account {
            case .appTransaction(let id): add("appTransactionId", id)
            case .firstDownload(let instant, let version):
                add("firstDownloadAt", instant)
                add("firstDownloadVersion", version)
            }
        }
    }
}

/// Reads the members of a fact in the residue. A member of another type marks the whole fact as damaged.
struct ResidueFields {
    private let json: JSONView
    private(set) var isDamaged = false

    init(_ json: JSONView) {
        self.json = json
    }

    private mutating func value<Value>(_ name: StaticString, _ read: (JSONView) -> Value?) -> Value? {
        guard let member = json[name] else { return nil }
        guard let value = read(member) else {
            isDamaged = true
            return nil
        }
        return value
    }

    mutating func text(_ name: StaticString) -> String? { value(name, \.string) }
    mutating func integer(_ name: StaticString) -> Int64? { value(name, \.integer) }
    mutating func bool(_ name: StaticString) -> Bool? { value(name, \.bool) }
    mutating func flag(_ name: StaticString) -> Bool { bool(name) ?? false }
    mutating func instant(_ name: StaticString) -> Instant? { integer(name).map { Instant(milliseconds: $0) } }
    mutating func digest(_ name: StaticString) -> Digest? { value(name) { $0.string.flatMap(Digest.init(hex:)) } }
    mutating func symbol(_ name: StaticString) -> Symbol? { text(name).map { Symbol($0) } }
    mutating func id(_ name: StaticString) -> AppleID? { text(name).map { AppleID($0) } }
    mutating func uuid(_ name: StaticString) -> UUIDBytes? { value(name) { $0.string.flatMap { UUIDBytes($0) } } }
    mutating func token(_ name: StaticString) -> AppAccountToken? {
        value(name) { $0.string.flatMap { AppAccountToken($0) } }
    }

    mutating func word<Word: OpenVocabulary>(_ name: StaticString) -> Word? {
        symbol(name).map { Word(symbol: $0) }
    }

    mutating func number<Number: OpenNumericVocabulary>(_ name: StaticString) -> Number? {
        integer(name).map { Number(rawValue: $0) }
    }

    /// Returns the elements of a list; none for an absent one.
    mutating func list<Element>(_ name: StaticString, _ read: (JSONView) -> Element?) -> [Element] {
        let elements = value(name, \.elements) ?? []
        let list = elements.compactMap(read)
        if list.count != elements.count { isDamaged = true }
        return list
    }

    /// Returns nil when a part of the key is missing.
    mutating func key(isAppAccount: Bool) -> TimelineKey? {
        guard let environment: Environment = word("environment"), let bundle = symbol("bundleId") else { return nil }
        guard isAppAccount else {
            return id("originalTransactionId").map {
                .subscription(SubscriptionKey(environment: environment, bundle: bundle, originalTransaction: $0))
            }
        }
        let account: AppAccountKey.Account
        if let id = id("appTransactionId") {
            account = .appTransaction(id)
        } else if let instant = instant("firstDownloadAt"), let version = symbol("firstDownloadVersion") {
            account = .firstDownload(at: instant, version: version)
        } else {
            return nil
        }
        return .appAccount(AppAccountKey(environment: environment, bundle: bundle, account: account))
    }
}
