import EventLog
package import LedgerModel
import Primitives

/// The identifiers of a person in one of the ledger's own events, as its evidence: RFC 8785 JSON. Evidence can be erased;
/// the body of a record cannot.
package struct Identifiers: Hashable, Sendable {
    package let token: AppAccountToken

    package init(_ token: AppAccountToken) {
        self.token = token
    }

    /// - Returns: nil for evidence of another form.
    package init?(_ evidence: [UInt8]) {
        guard !evidence.isEmpty,
            let token = (try? JSONDocument(parsing: evidence).root["appAccountToken"]?.string)
                .flatMap({ AppAccountToken($0) })
        else { return nil }
        self.init(token)
    }

    var evidence: Evidence {
        Evidence(bytes: JSONValue.object(["appAccountToken": .string(token.text)]).canonical())
    }
}
