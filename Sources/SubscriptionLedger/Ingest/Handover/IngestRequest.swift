import AppStoreModel
package import AppStoreVerification
import LedgerAPI
package import LedgerStorage
package import Primitives

/// The options of an ingest that a command hands over to the service. It precedes the artifacts.
package struct IngestRequest: Sendable {
    /// The policy of the command. The service applies it to the artifacts of this ingest instead of its own.
    package let trust: TrustPolicy
    /// The customer to link the transactions to; nil for none.
    package let customerId: String?

    package init(trust: TrustPolicy, customerId: String?) {
        self.trust = trust
        self.customerId = customerId
    }
}

extension IngestRequest {
    package var json: JSONValue { .object(["trust": trust.json, "customer": JSONValue(customerId)]) }

    /// - Throws: `version_unknown`.
    package init(_ json: JSONView) throws(StorageError) {
        guard let trust = json["trust"] else { throw .handoverMalformed }
        self.init(trust: try TrustPolicy(trust), customerId: json["customer"]?.string)
    }
}

extension TrustPolicy {
    fileprivate var json: JSONValue {
        .object([
            "apps": .array(apps.map(\.json)), "environments": Self.json(environments),
            "roots": .array(configuredRoots.map { .string(Base64.encode($0.der)) }),
            "denied": .array(
                deniedCertificates.map {
                    .object(["fingerprint": .string($0.fingerprint.hex), "from": .integer($0.from.milliseconds)])
                }),
        ])
    }

    fileprivate init(_ json: JSONView) throws(StorageError) {
        self.init()
        guard let environments = json["environments"].flatMap(Self.environments) else { throw .handoverMalformed }
        self.environments = environments
        for app in json["apps"]?.elements ?? [] { apps.append(try App(app)) }
        for root in json["roots"]?.elements ?? [] {
            guard let der = root.string.flatMap(Base64.decode), let root = try? ConfiguredRoot(file: der) else {
                throw .handoverMalformed
            }
            configuredRoots.append(root)
        }
        for denied in json["denied"]?.elements ?? [] {
            guard let fingerprint = (denied["fingerprint"]?.string).flatMap(Digest.init(hex:)),
                let from = denied["from"]?.integer
            else { throw .handoverMalformed }
            deniedCertificates.append(
                DeniedCertificate(fingerprint: fingerprint, from: Instant(milliseconds: from)))
        }
    }

    fileprivate static func json(_ environments: Set<Environment>) -> JSONValue {
        .array(environments.map(\.rawValue).sorted().map { .string($0) })
    }

    fileprivate static func environments(_ json: JSONView) -> Set<Environment>? {
        json.elements.map { Set($0.compactMap { $0.string.flatMap { Environment(known: $0) } }) }
    }
}

extension TrustPolicy.App {
    fileprivate var json: JSONValue {
        .object([
            "bundleId": .string(bundleId), "appAppleId": JSONValue(appAppleId),
            "environments": environments.map(TrustPolicy.json) ?? .null,
        ])
    }

    fileprivate init(_ json: JSONView) throws(StorageError) {
        guard let bundleId = json["bundleId"]?.string else { throw .handoverMalformed }
        self.init(
            bundleId: bundleId, appAppleId: json["appAppleId"]?.integer,
            environments: json["environments"].flatMap(TrustPolicy.environments))
    }
}

extension StorageError {
    /// A line of a handed-over ingest that this program does not understand.
    static let handoverMalformed = StorageError(
        .versionUnknown, "the command and the service do not understand each other",
        expected: "the same version of subledger", found: "another form", hint: "Restart the service after an upgrade.")
}
