import AppStoreModel
import AppStoreSimulation
import Crypto
import Primitives

/// The filters and the place of a request for the transaction history.
/// https://developer.apple.com/documentation/appstoreserverapi/get-transaction-history
struct HistoryQuery: Sendable {
    static let pageLength = 20

    private var productIds: Set<String> = []
    private var types: Set<ProductType> = []
    private var groups: Set<String> = []
    private var ownership: InAppOwnershipType?
    private var isRevoked: Bool?
    private var start = Instant.earliest
    private var end = Instant.latest
    private var isDescending = false
    private var revision: String?
    /// Whether it is the first version of the request, which omits consumables once they are finished.
    let omitsFinishedConsumables: Bool

    /// - Throws: an error of Apple's for a parameter that it does not accept. Others are ignored.
    init(
        _ items: [(name: String, value: String)], omitsFinishedConsumables: Bool = false
    ) throws(ServerAPIError) {
        self.omitsFinishedConsumables = omitsFinishedConsumables
        for (name, value) in items { try read(name, value) }
        if start > end { throw .startDateAfterEndDate }
    }

    private mutating func read(_ name: String, _ value: String) throws(ServerAPIError) {
        switch name {
        case "productId": productIds.insert(value)
        case "subscriptionGroupIdentifier": groups.insert(value)
        case "revision": revision = value
        case "startDate": start = try Self.date(value, .invalidStartDate)
        case "endDate": end = try Self.date(value, .invalidEndDate)
        case "productType":
            guard let type = Self.types[value] else { throw .invalidProductType }
            types.insert(type)
        case "inAppOwnershipType":
            ownership = InAppOwnershipType(rawValue: value)
            guard value == "PURCHASED" || value == "FAMILY_SHARED" else { throw .invalidOwnershipType }
        case "revoked":
            // Apple's library for Python sends `True`.
            guard let flag = Bool(value.lowercased()) else { throw .invalidRevoked }
            isRevoked = flag
        case "excludeRevoked": if value.lowercased() == "true" { isRevoked = false }
        case "sort":
            guard value == "ASCENDING" || value == "DESCENDING" else { throw .invalidSort }
            isDescending = value == "DESCENDING"
        default: break
        }
    }

    private static let types: [String: ProductType] = [
        "AUTO_RENEWABLE": .autoRenewable, "NON_RENEWABLE": .nonRenewing, "CONSUMABLE": .consumable,
        "NON_CONSUMABLE": .nonConsumable,
    ]

    private static func date(_ text: String, _ error: ServerAPIError) throws(ServerAPIError) -> Instant {
        guard let number = Int64(text), number >= 0, number <= Instant.latest.milliseconds else { throw error }
        return Instant(milliseconds: number)
    }

    func includes(_ transaction: RecordedTransaction) -> Bool {
        (productIds.isEmpty || productIds.contains(transaction.productId))
            && (types.isEmpty || types.contains(transaction.type))
            && (groups.isEmpty || transaction.subscriptionGroupIdentifier.map(groups.contains) ?? false)
            && (ownership == nil || ownership == transaction.ownership)
            && (isRevoked == nil || isRevoked == (transaction.revocationDate != nil))
            && start <= transaction.purchaseDate && transaction.purchaseDate < end
    }

    /// Returns the page after the revision.
    /// - Parameter transactions: those that the filters include, oldest first.
    /// - Throws: `invalidRevision` for a revision of other filters, or of another form.
    func page(of transactions: [RecordedTransaction]) throws(ServerAPIError) -> HistoryPage {
        let ordered = isDescending ? transactions.reversed() : transactions
        let last = try revision.map { text throws(ServerAPIError) in try order(ofRevision: text) }
        let rest = ordered.filter { transaction in
            guard let last else { return true }
            return isDescending ? transaction.order < last : transaction.order > last
        }
        let page = Array(rest.prefix(Self.pageLength))
        let place = page.last?.order ?? last ?? 0
        return HistoryPage(
            transactions: page, revision: "\(place)_\(fingerprint)", hasMore: rest.count > page.count)
    }

    private func order(ofRevision text: String) throws(ServerAPIError) -> Int {
        let parts = text.split(separator: "_", omittingEmptySubsequences: false)
        guard parts.count == 2, let order = Int(parts[0]), parts[1] == fingerprint else { throw .invalidRevision }
        return order
    }

    /// Names the filters, which stay the same from page to page.
    private var fingerprint: String {
        let filters = [
            productIds.sorted().joined(separator: ","), types.map(\.rawValue).sorted().joined(separator: ","),
            groups.sorted().joined(separator: ","), ownership?.rawValue ?? "", isRevoked.map { "\($0)" } ?? "",
            "\(start.milliseconds)", "\(end.milliseconds)", "\(isDescending)",
        ]
        return String(Hex.encode(SHA256.hash(data: Array(filters.joined(separator: "|").utf8))).prefix(8))
    }
}

struct HistoryPage: Sendable {
    let transactions: [RecordedTransaction]
    let revision: String
    let hasMore: Bool
}
