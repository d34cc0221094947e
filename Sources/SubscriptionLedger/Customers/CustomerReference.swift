import LedgerModel

/// The customer named in a question: an external id, or a handle from an earlier answer.
enum CustomerReference: Hashable, Sendable {
    case name(ExternalCustomerID)
    case handle(CustomerHandle)
}
