import Primitives

/// A signature line of a note: the key, and its signature over the text.
package struct NoteSignature: Equatable, Sendable {
    package let key: NoteKey
    package let bytes: [UInt8]

    private static let keyIDBytes = 4
    private static let linePrefix = Array("\u{2014} ".utf8)

    init(key: NoteKey, bytes: [UInt8]) {
        self.key = key
        self.bytes = bytes
    }

    /// Reads `— <name> <base64(key id ‖ signature)>` without the line end.
    init?(line: ArraySlice<UInt8>) {
        guard line.starts(with: Self.linePrefix) else { return nil }
        let parts = line.dropFirst(Self.linePrefix.count)
            .split(separator: UInt8(ascii: " "), maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 2, let name = String(validating: parts[0], as: UTF8.self), NoteKey.isValid(name: name),
            let payload = parts[1].withUnsafeBytes(Base64.decode), payload.count > Self.keyIDBytes
        else { return nil }
        let id = payload.prefix(Self.keyIDBytes).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        self.init(key: NoteKey(name: name, id: id), bytes: Array(payload.dropFirst(Self.keyIDBytes)))
    }

    var line: String {
        let id = withUnsafeBytes(of: key.id.bigEndian, Array.init)
        return "\u{2014} \(key.name) \(Base64.encode(id + bytes))"
    }
}
