/// The place of objects in a bucket: `s3://BUCKET/PREFIX`.
package struct S3Location: Hashable, Sendable {
    private static let scheme = "s3://"

    package let bucket: String
    /// The start of all keys, without slashes at its ends; empty for the whole bucket.
    package let prefix: String

    /// Whether a text is meant as such a place.
    package static func isMeant(by text: String) -> Bool { text.hasPrefix(scheme) }

    /// Returns nil for another text, and for names that no bucket has.
    /// https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html
    package init?(_ text: String) {
        guard Self.isMeant(by: text) else { return nil }
        let parts = text.dropFirst(Self.scheme.count).split(separator: "/", omittingEmptySubsequences: false)
        guard let bucket = parts.first, (3...63).contains(bucket.utf8.count),
            bucket.utf8.allSatisfy(Self.isAllowed), bucket.first != ".", bucket.last != "."
        else { return nil }
        self.bucket = String(bucket)
        prefix = parts.dropFirst().filter { !$0.isEmpty }.joined(separator: "/")
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
        }
    }

    /// Returns the key of an object.
    package func key(_ name: String) -> String { prefix.isEmpty ? name : "\(prefix)/\(name)" }

    /// Returns the URL of an object.
    package func url(of name: String) -> String { "\(Self.scheme)\(bucket)/\(key(name))" }
}
