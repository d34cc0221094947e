import LedgerModel
import Primitives
import ProjectionRuntime

/// The subjects of units: the units that customers join, directly or through others, in one app and environment.
///
/// Takes memory for joined units only; most customers have one.
struct SubjectIndex: Sendable {
    /// The least key of the subject of each joined unit, by the least key of the unit.
    private var subjects: [SubscriptionKey: SubscriptionKey] = [:]

    /// - Parameter links: the records of `append(_:to:)`, each once.
    init(_ links: [SortedRuns]) throws {
        var sets = DisjointSets<SubscriptionKey>()
        var last: (link: ArraySlice<UInt8>, unit: SubscriptionKey)?
        try SortedRuns.merge(links) { record in
            guard let unit = SubscriptionKey(ordered: record.key.dropFirst(Self.handleByteCount)) else { return }
            let link = record.key.prefix(Self.handleByteCount)
            if let last, last.link == link, last.unit.bundle == unit.bundle, last.unit.environment == unit.environment {
                sets.unite(last.unit, unit)
            }
            last = (link, unit)
        }
        var least: [SubscriptionKey: SubscriptionKey] = [:]
        for unit in sets.elements {
            let root = sets.root(of: unit)
            least[root] = min(least[root] ?? unit, unit)
        }
        for unit in sets.elements { subjects[unit] = least[sets.root(of: unit)] }
    }

    private static let handleByteCount = 16

    /// Adds the customers of a unit to the links.
    static func append(_ unit: UnitFacts, to links: inout RecordSorter) throws {
        guard let key = unit.timelines.keys.min() else { return }
        for handle in unit.customers.linkedHandles {
            try links.append {
                $0.append(contentsOf: handle.value.bigEndianBytes)
                key.appendOrdered(to: &$0)
            } body: { _ in
            }
        }
    }

    /// Returns the least key of the subject of a unit.
    /// - Parameter unit: the least key of the unit.
    func subject(of unit: SubscriptionKey) -> SubscriptionKey { subjects[unit] ?? unit }
}

extension CustomerHistory {
    /// The handles that the events link with a subscription or with each other.
    fileprivate var linkedHandles: Set<CustomerHandle> {
        events.reduce(into: []) { handles, event in
            switch event.fact {
            case .claim(let claim): handles.insert(claim.customer)
            case .transfer(let transfer): handles.insert(transfer.customer)
            case .directory(let change): handles.formUnion([change.customer, change.into])
            case .token(let mapping): handles.insert(mapping.customer)
            case .refusedClaim, .grant, .download, .consent: break
            }
        }
    }
}
