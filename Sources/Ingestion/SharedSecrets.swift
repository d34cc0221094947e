import AppStoreModel
import Primitives

/// The shared secrets of the apps. Notifications of version 1 contain one. Only their digests are kept.
/// https://help.apple.com/app-store-connect/#/devf341c0f01
package struct SharedSecrets: Sendable {
    private let secrets: [(bundleId: String, digest: Digest)]

    /// - Parameter secrets: those of each app by bundle id.
    package init(_ secrets: [String: [String]] = [:]) {
        self.secrets = secrets.sorted { $0.key < $1.key }.flatMap { bundleId, texts in
            texts.map { (bundleId, Digest.sha256(of: $0.utf8)) }
        }
    }

    package var isEmpty: Bool { secrets.isEmpty }

    /// Returns the apps with this secret. The time does not depend on which they are.
    func bundleIds(with secret: Digest) -> Set<String> {
        var found: Set<String> = []
        for (bundleId, digest) in secrets {
            var difference: UInt8 = 0
            for (left, right) in zip(digest.bytes, secret.bytes) { difference |= left ^ right }
            if difference == 0 { found.insert(bundleId) }
        }
        return found
    }
}

extension NotificationV1 {
    /// The text before the digest of a password.
    private static let digestMark = "sha256:"

    /// The SHA-256 of the password; nil without one.
    /// - Parameter isBlanked: whether the digest stands in the place of the password.
    func passwordDigest(isBlanked: Bool) -> Digest? {
        guard isBlanked, let password, password.hasPrefix(Self.digestMark) else {
            return password.map { Digest.sha256(of: $0.utf8) }
        }
        return Digest(hex: String(password.dropFirst(Self.digestMark.count)))
    }

    /// The notification with its password blanked, also one that is no string.
    var blanked: [UInt8] { replacingPassword(with: "") }

    /// The notification with the SHA-256 of its password in the place of it, so that it can be checked again.
    package var digested: [UInt8] {
        passwordDigest(isBlanked: false).map { replacingPassword(with: Self.digestMark + $0.hex) } ?? blanked
    }

    /// - Precondition: JSON does not escape the text.
    private func replacingPassword(with text: String) -> [UInt8] {
        let bytes = document.document.bytes
        guard let range = document["password"]?.byteRange else { return bytes }
        let text = password == nil ? "\"\"" : text
        return Array(bytes[..<range.lowerBound]) + Array(text.utf8) + Array(bytes[range.upperBound...])
    }
}
