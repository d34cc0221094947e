import AppStoreModel
import LedgerAPI
import LedgerModel
import PaidService
import Primitives

/// A question with all its coordinates. Every ledger with the same events gives it the same answer.
struct BundleQuestion {
    enum Subject: Hashable {
        case customer(Ownership.Owner)
        case subscription(SubscriptionKey)
        case transaction(String, SubscriptionKey)
        case cell(BundleCell)
        /// The position of the event, which is the `version`th close of the name.
        case close(Position, name: String, version: Int)
    }

    var subject: Subject
    /// The external id of the customer, if it is wanted.
    var customerId: String?
    var environment: Environment
    var bundleId: String?
    var asOf: Instant
    var knownAt: Position
    var signedBy: Instant?

    /// The scope of answers about customers and cells.
    var scope: CustomerScope { CustomerScope(environment: environment, bundleId: bundleId) }

    /// The question to a ledger.
    func query(_ rules: Rules) -> AsOfQuery {
        var query = AsOfQuery(asOf: asOf, knownAt: .size(knownAt))
        (query.signedBy, query.rules) = (signedBy, rules)
        return query
    }
}

extension BundleQuestion {
    var kind: String {
        switch subject {
        case .customer: "customer"
        case .subscription: "subscription"
        case .transaction: "transaction"
        case .cell: "cell"
        case .close: "close"
        }
    }

    var json: JSONValue {
        .object(
            [.init("kind", .string(kind))] + selectors + [
                .init("environment", .string(environment.rawValue)), .init("bundleId", JSONValue(bundleId)),
                .init("asOf", JSONValue(asOf)), .init("knownAt", JSONValue(position: knownAt)),
                .init("signedBy", JSONValue(signedBy)),
            ])
    }

    private var selectors: [JSONValue.Member] {
        switch subject {
        case .customer(let owner):
            return [.init("customer", .string(owner.text))] + (customerId.map { [.init("id", .string($0))] } ?? [])
        case .subscription(let key):
            return [.init("originalTransactionId", .string(key.originalTransactionId))]
        case .transaction(let id, let key):
            return [
                .init("transactionId", .string(id)), .init("originalTransactionId", .string(key.originalTransactionId)),
            ]
        case .cell(let cell):
            return [.init("cell", cell.json)]
        case .close(let position, let name, let version):
            return [
                .init("name", .string(name)), .init("version", JSONValue(version)),
                .init("position", JSONValue(position: position)),
            ]
        }
    }

    /// Reads the form of `json`; nil for another one.
    init?(_ json: JSONView) {
        guard let environment = json["environment"]?.string.flatMap({ Environment(known: $0) }),
            let asOf = json["asOf"]?.string.flatMap({ Instant(iso8601: $0) }),
            let knownAt = json["knownAt"]?.integer, knownAt >= 0, let subject = Subject(json, environment)
        else { return nil }
        self.subject = subject
        customerId = json["id"]?.string
        self.environment = environment
        bundleId = json["bundleId"]?.string
        self.asOf = asOf
        self.knownAt = Position(knownAt)
        signedBy = json["signedBy"]?.string.flatMap { Instant(iso8601: $0) }
    }
}

extension BundleQuestion.Subject {
    fileprivate init?(_ json: JSONView, _ environment: Environment) {
        func key() -> SubscriptionKey? {
            guard let id = json["originalTransactionId"]?.string, let bundleId = json["bundleId"]?.string else {
                return nil
            }
            return SubscriptionKey(environment: environment, bundleId: bundleId, originalTransactionId: id)
        }
        switch json["kind"]?.string {
        case "customer":
            guard let owner = json["customer"]?.string.flatMap({ Ownership.Owner($0) }) else { return nil }
            self = .customer(owner)
        case "subscription":
            guard let key = key() else { return nil }
            self = .subscription(key)
        case "transaction":
            guard let id = json["transactionId"]?.string, let key = key() else { return nil }
            self = .transaction(id, key)
        case "cell":
            guard let cell = json["cell"].flatMap({ BundleCell($0) }) else { return nil }
            self = .cell(cell)
        case "close":
            guard let position = json["position"]?.integer, position >= 0, let name = json["name"]?.string,
                let version = json["version"]?.integer
            else { return nil }
            self = .close(Position(position), name: name, version: Int(version))
        default: return nil
        }
    }
}

extension BundleCell {
    var json: JSONValue {
        .object([
            "cohort": .string(name.cohort), "k": JSONValue(name.k), "by": .string(interval.rawValue),
            "cut": .array(cuts.map { .string($0.rawValue) }), "definition": JSONValue(definition?.rawValue),
            "zone": JSONValue(zone), "sample": JSONValue(sample),
        ])
    }

    fileprivate init?(_ json: JSONView) {
        guard let cohort = json["cohort"]?.string, let k = json["k"]?.integer,
            let name = CohortCellName("\(cohort),\(k)"),
            let interval = json["by"]?.string.flatMap(BucketCalendar.Interval.init(rawValue:)),
            let cuts = json["cut"]?.elements?.compactMap({ $0.string.flatMap(PurchaseCut.init(rawValue:)) }),
            cuts.count == json["cut"]?.elements?.count
        else { return nil }
        self.init(
            name, by: interval, cuts: cuts,
            definition: json["definition"]?.string.flatMap(Rules.Retention.Definition.init(rawValue:)),
            zone: json["zone"]?.string)
        sample = json["sample"]?.integer.map { Int($0) }
    }
}
