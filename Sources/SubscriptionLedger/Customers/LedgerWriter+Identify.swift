import EventLog
import Ingestion
package import LedgerAPI
import LedgerModel
import LedgerStorage
package import Primitives
import SubscriptionStatus

/// The customer to merge into another: the caller's id or a handle.
package enum MergedCustomer: Sendable {
    case id(String)
    case handle(String)
}

extension LedgerWriter {
    /// Identifies an anonymous customer: merges it into the customer of an id, and raises its claims to the strength of
    /// the caller's key.
    ///
    /// - Parameter allowsKnown: whether two known customers may be merged; only an administrator may.
    /// - Throws: `CustomerError`: `customer_id_invalid`, `handle_unknown`, `customer_conflict` (both are known);
    ///   `StorageError`.
    package func identify(
        _ externalId: String, handle text: String, merge allowsKnown: Bool = false, by caller: Caller,
        scope: CustomerScope = CustomerScope(), source: EventSource = .http
    ) async throws -> CustomerAnswer<SubscriptionRow> {
        let name = try ExternalCustomerID(externalId)
        let handle = try handle(from: text)
        return try await merges.withLock(on: [Self.mergeLock]) {
            var lookup = try CustomerLookup(in: reader)
            let customer = try lookup.customer(of: handle)
            let isAllowed =
                try vault.reader.isAnonymous(customer) == true || lookup.customer(of: name) == customer
                || (allowsKnown && caller.role == .admin)
            guard isAllowed else {
                throw CustomerError.handleKnown(source)
            }
            return try await unite(customer, with: name, externalId, caller, scope, source)
        }
    }

    /// Merges two customers, even if both are known. For administrators.
    /// - Throws: `CustomerError`: `customer_id_invalid`, `customer_unknown`, `handle_unknown`, `parameter_invalid` for
    ///   the same customer twice; `StorageError`.
    package func merge(
        _ other: MergedCustomer, into externalId: String, by caller: Caller, scope: CustomerScope,
        source: EventSource
    ) async throws -> CustomerAnswer<SubscriptionRow> {
        let name = try ExternalCustomerID(externalId)
        let handle = try handle(of: other)
        guard try vault.reader.customer(of: name, createdBefore: .max) != handle else {
            throw CustomerError.mergedIntoItself
        }
        return try await merges.withLock(on: [Self.mergeLock]) {
            try await unite(handle, with: name, externalId, caller, scope, source)
        }
    }

    /// Undoes a merge, starting at the position of the appended event. For administrators.
    /// - Throws: `CustomerError`: `customer_id_invalid`, `customer_unknown`, `handle_unknown`, `merge_unknown`;
    ///   `StorageError`.
    package func unmerge(
        _ other: MergedCustomer, from externalId: String, by caller: Caller, scope: CustomerScope,
        source: EventSource
    ) async throws -> CustomerAnswer<SubscriptionRow> {
        let name = try ExternalCustomerID(externalId)
        let handle = try handle(of: other)
        return try await merges.withLock(on: [Self.mergeLock]) {
            try await separate(handle, from: name, externalId, caller, scope, source)
        }
    }

    /// Undoes a merge. The caller holds the lock in `merges`.
    private func separate(
        _ handle: CustomerHandle, from name: ExternalCustomerID, _ externalId: String, _ caller: Caller,
        _ scope: CustomerScope, _ source: EventSource
    ) async throws -> CustomerAnswer<SubscriptionRow> {
        let undone = try mergeInForce(of: handle, into: name)
        let unmerge = Unmerge(customer: undone.customer, into: undone.into, position: 0)
        let origin = EventOrigin(source: source, keyName: caller.keyName)
        let position = try await append(
            CustomerEvents.unmerged(unmerge, of: undone, by: caller.role.rawValue, origin)
        ).position
        let submitter = try await submitter(name, nil, [], caller, source)
        var answered = try reader.answer(externalId, of: submitter, scope)
        answered.unmerged = MergeRow(handle: undone.customer.hex, into: undone.into.hex, position: position)
        return answered
    }

    /// - Throws: `customer_unknown`, `merge_unknown`; `StorageError`.
    private func mergeInForce(of handle: CustomerHandle, into name: ExternalCustomerID) throws -> Merge {
        guard let into = try vault.reader.customer(of: name, createdBefore: .max) else {
            throw CustomerError.customerUnknown
        }
        var lookup = try CustomerLookup(in: reader)
        _ = try lookup.customer(of: handle)
        guard let merge = lookup.directory.merges(from: handle).first(where: { $0.into == into }) else {
            throw CustomerError.mergeUnknown
        }
        return merge
    }

    private func handle(of customer: MergedCustomer) throws -> CustomerHandle {
        switch customer {
        case .handle(let text): return try handle(from: text)
        case .id(let externalId):
            guard let handle = try vault.reader.customer(of: ExternalCustomerID(externalId), createdBefore: .max) else {
                throw CustomerError.customerUnknown
            }
            return handle
        }
    }

    /// Merges two customers. The caller holds the lock in `merges`.
    private func unite(
        _ handle: CustomerHandle, with name: ExternalCustomerID, _ externalId: String, _ caller: Caller,
        _ scope: CustomerScope, _ source: EventSource
    ) async throws -> CustomerAnswer<SubscriptionRow> {
        var lookup = try CustomerLookup(in: reader)
        let customer = try lookup.customer(of: handle)
        let created = try await findOrCreateCustomer(name, caller, source)
        let into = try lookup.customer(of: created)
        var merged: MergeRow?
        if customer != into {
            let merge = Merge(customer: customer, into: into, by: caller.authority, position: 0)
            let origin = EventOrigin(source: source, keyName: caller.keyName)
            let undone = lookup.directory.newestUnmerge(of: customer)
            let position = try await append(
                CustomerEvents.merged(merge, by: caller.role.rawValue, after: undone, origin)
            ).position
            merged = MergeRow(handle: customer.hex, into: into.hex, position: position)
        }
        let submitter = try await submitter(name, nil, [], caller, source)
        var answered = try reader.answer(externalId, of: submitter, scope)
        answered.merged = merged
        return answered
    }
}
