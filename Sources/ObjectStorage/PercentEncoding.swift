/// Escapes text as Signature Version 4 asks: all bytes but those of letters, digits and `-._~`.
/// https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
package enum PercentEncoding {
    private static let unreserved = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8)
    private static let digits = Array("0123456789ABCDEF".utf8)

    /// Escapes a name or a value of a query.
    package static func component(_ text: String) -> String { escaped(text, keeping: unreserved) }

    /// Escapes a path, except its slashes.
    package static func path(_ text: String) -> String {
        escaped(text, keeping: unreserved.union([UInt8(ascii: "/")]))
    }

    private static func escaped(_ text: String, keeping kept: Set<UInt8>) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if kept.contains(byte) {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
