import LedgerModel

/// The customer that a question names: by an external id, or by a handle from an earlier answer.
enum CustomerReference: Hashable, Sendable {
    case name(CustomerName)
    case handle(CustomerHandle)
}
