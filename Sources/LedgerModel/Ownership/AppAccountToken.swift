package import Primitives

/// The UUID that an app sets at purchase to name the customer. Apple signs it into the transaction.
///
/// Tokens are compared in lower case. The nil UUID, which apps without users send, names no customer.
package struct AppAccountToken: Hashable, BitwiseCopyable, Sendable {
    package let uuid: UUIDBytes

    /// Creates a token; nil for the nil UUID.
    package init?(uuid: UUIDBytes) {
        guard uuid.value != 0 else { return nil }
        self.uuid = uuid
    }

    /// Creates a token; nil unless the text is a UUID other than the nil UUID.
    package init?(_ text: String) {
        guard let uuid = UUIDBytes(text), uuid.value != 0 else { return nil }
        self.uuid = uuid
    }

    /// The UUID in lower case.
    package var text: String { uuid.text }
}

extension Fact {
    /// The stated token; nil for facts without one.
    package var appAccountToken: AppAccountToken? {
        switch self {
        case .transaction(let fact): fact.appAccountToken
        case .renewal(let fact): fact.appAccountToken
        case .notification, .app: nil
        }
    }
}
