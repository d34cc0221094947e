package import EventLog
import LedgerModel
package import Primitives

extension Ledger {
    /// Says who an anonymous customer is: merges it, for good, into the customer of an id.
    ///
    /// - Parameter isAdmin: may also merge two customers that are both known.
    /// - Returns: the customer, as `customer(_:_:)` answers.
    /// - Throws: `CustomerError`: `customer_id_invalid`, `handle_unknown`, `customer_conflict` (409: both are known);
    ///   `EventLogError`.
    package func identify(
        _ externalId: String, handle text: String, isAdmin: Bool, source: EventSource = .http
    ) async throws -> JSONValue {
        let name = try CustomerName(externalId)
        let handle = try handle(from: text)
        // One merge at a time: what is merged must not be merged elsewhere meanwhile.
        return try await postings.withLock(on: [Self.merging]) {
            let customer = try await merge(handle, into: name, isAdmin: isAdmin, source)
            return try answer([.init("id", .string(externalId))], customer, token: name.token)
        }
    }

    private static let merging = "merging"

    /// - Returns: the customer that both are from now on.
    private func merge(
        _ handle: CustomerHandle, into name: CustomerName, isAdmin: Bool, _ source: EventSource
    ) async throws -> CustomerHandle {
        guard let vault else { preconditionFailure("a ledger opened for reading merges nothing") }
        var lookup = try CustomerLookup(in: self)
        let customer = try lookup.customer(of: handle)
        guard try vault.isAnonymous(customer) == true || isAdmin || lookup.customer(of: name) == customer else {
            throw CustomerError(
                .customerConflict, "the handle is a known customer's", expected: "an anonymous customer's handle",
                found: "another known customer's", hint: "An administrator can merge two known customers.")
        }
        let into = try lookup.customer(of: await vault.meet(name, logSize: lookup.size))
        guard customer != into else { return into }
        let merge = Merge(customer: customer, into: into, position: 0)
        let draft = CustomerEvents.merged(merge, by: isAdmin ? "admin" : "backend", source: source)
        _ = try await append([.accepted(log.prepare(draft))], source: source)
        return into
    }
}
