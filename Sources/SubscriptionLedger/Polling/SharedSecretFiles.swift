import Ingestion
package import LedgerConfiguration
import LedgerStorage

/// The files with the shared secrets of the apps, one secret a line.
package enum SharedSecretFiles {
    private static let limit = 64 * 1_024

    /// Returns the secrets of each app by bundle id.
    /// - Throws: `ConfigurationError` for a file that cannot be read or has no secret.
    package static func secrets(of apps: [Settings.App]) throws -> [String: [String]] {
        var secrets: [String: [String]] = [:]
        for app in apps {
            guard let file = app.sharedSecretFile else { continue }
            secrets[app.bundleId] = try read(file, of: app.bundleId)
        }
        return secrets
    }

    private static func read(_ file: String, of bundleId: String) throws -> [String] {
        let bytes: [UInt8]
        do {
            bytes = try InputFile.bytes(of: file, limit: limit)
        } catch {
            throw ConfigurationError(
                "apps.sharedSecretFile", "the file of shared secrets of \(bundleId) cannot be read",
                found: error.reason)
        }
        let lines = bytes.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
            .map { String(decoding: $0, as: UTF8.self) }.filter { !$0.allSatisfy(\.isWhitespace) }
        guard bytes.count <= limit, !lines.isEmpty else {
            throw ConfigurationError(
                "apps.sharedSecretFile", "no shared secret of \(bundleId)", expected: "one secret a line",
                found: lines.isEmpty ? "no line" : "more than \(limit) bytes")
        }
        return lines
    }
}
