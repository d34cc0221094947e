import FactStore
import Ingestion
package import LedgerAPI
import LedgerModel
package import Primitives

extension LedgerWriter {
    /// Records whether a customer consents that Apple learns how much of a purchase they consumed. The newest answer
    /// counts.
    /// - Throws: `customer_id_invalid`; `StorageError`.
    package func record(
        consumptionConsent isGiven: Bool, of externalId: String, by caller: Caller, source: EventSource
    ) async throws -> ConsentAnswer {
        let name = try ExternalCustomerID(externalId)
        let submitter = try await submitter(name, nil, [], caller, source)
        let size = try reader.knownSize(nil)
        let newest = try reader.facts.consent(of: submitter.customer, knownAt: size)
        if newest?.isGiven != isGiven {
            let consent = ConsumptionConsent(customer: submitter.customer, isGiven: isGiven, position: 0)
            let origin = EventOrigin(source: source, keyName: caller.keyName)
            _ = try await append(
                CustomerEvents.recorded(consent, by: caller.role.rawValue, after: newest?.position, origin))
        }
        return ConsentAnswer(id: externalId, consented: isGiven)
    }
}

extension CustomerLookup {
    /// Returns whether a customer consents that Apple learns how much of a purchase they consumed.
    mutating func hasConsented(_ customer: CustomerHandle, in facts: FactIndex) throws -> Bool {
        let current = try self.customer(of: customer)
        let consents = try ([current] + directory.handles(mergedInto: current)).compactMap { handle in
            try facts.consent(of: handle, knownAt: size)
        }
        return consents.max { $0.position < $1.position }?.isGiven == true
    }
}
