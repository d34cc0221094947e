@_spi(Verification) package import AppStoreModel
package import Primitives

/// The payloads of an artifact as a verifier would pass them on, with the digests that name them. For tests of the code
/// behind the verifier, which need no signatures.
package struct UnsignedPayloads: Sendable {
    package private(set) var notification: (payload: Verified<Notification>, digest: Digest)?
    package private(set) var transaction: (payload: Verified<Transaction>, digest: Digest)?
    package private(set) var renewalInfo: (payload: Verified<RenewalInfo>, digest: Digest)?

    package init(_ artifact: StoreArtifact) throws {
        switch (artifact.kind, artifact.content) {
        case (.transaction, .alone(let payload)): transaction = try Self.read(payload, Transaction.init)
        case (.renewalInfo, .alone(let payload)): renewalInfo = try Self.read(payload, RenewalInfo.init)
        case (_, .alone): break
        case (_, .notification(let content, let writer, let transaction, let renewalInfo)):
            let fields = writer.notification(
                content, signedDate: artifact.signedDate, transaction: nil, renewalInfo: nil)
            notification = try Self.read(JSONValue.object(fields).bytes, Notification.init)
            self.transaction = try transaction.map { try Self.read($0, Transaction.init) }
            self.renewalInfo = try renewalInfo.map { try Self.read($0, RenewalInfo.init) }
        }
    }

    private static func read<Payload>(
        _ bytes: [UInt8], _ decode: (JSONView) throws -> Payload
    ) throws -> (Verified<Payload>, Digest) {
        (Verified(payload: try decode(try JSONDocument(parsing: bytes).root)), .sha256(of: bytes))
    }
}
