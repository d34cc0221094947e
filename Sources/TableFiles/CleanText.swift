import Primitives

/// Removes from texts what PostgreSQL and other readers refuse: U+0000, and bytes that are not UTF-8 such as lone
/// surrogates. Each becomes U+FFFD.
enum CleanText {
    static let replacement: [UInt8] = Array("\u{FFFD}".utf8)

    /// Returns the clean form of a text; nil if the text is clean.
    /// - Parameter isUTF8: whether the text is known to be UTF-8.
    static func cleaned(_ text: UnsafeBufferPointer<UInt8>, isUTF8: Bool) -> [UInt8]? {
        if !text.contains(0), isUTF8 || isValid(text) { return nil }
        var clean: [UInt8] = []
        var (start, index) = (0, 0)
        func copy(until end: Int) {
            clean += String(decoding: text[start..<end], as: UTF8.self).utf8
        }
        while index < text.count {
            let length = text[index] == 0 ? 1 : isSurrogate(text, at: index) ? 3 : 0
            if length == 0 {
                index += 1
                continue
            }
            copy(until: index)
            clean += replacement
            index += length
            start = index
        }
        copy(until: index)
        return clean
    }

    private static func isValid(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        do {
            _ = try UTF8Span(validating: text.span)
            return true
        } catch {
            return false
        }
    }

    /// Whether a surrogate is encoded here like a scalar, ED A0...BF xx, which UTF-8 excludes (RFC 3629 §3).
    private static func isSurrogate(_ text: UnsafeBufferPointer<UInt8>, at index: Int) -> Bool {
        index + 2 < text.count && text[index] == 0xED && text[index + 1] >= 0xA0 && text[index + 1] < 0xC0
            && text[index + 2] & 0xC0 == 0x80
    }

    /// Returns the clean form of a canonical JSON text; nil if the text is clean. Canonical texts escape U+0000, and a
    /// surrogate only if it is lone.
    static func cleaned(json text: [UInt8]) -> [UInt8]? {
        var clean: [UInt8] = []
        var (start, index) = (0, 0)
        while let escape = text[index...].firstIndex(of: UInt8(ascii: "\\")) {
            if isUnclean(escape: text[escape...].prefix(6)) {
                clean += text[start..<escape]
                clean += replacement
                index = escape + 6
                start = index
            } else {
                index = min(escape + 2, text.count)
            }
        }
        if start == 0 { return nil }
        return clean + text[start...]
    }

    private static func isUnclean(escape: ArraySlice<UInt8>) -> Bool {
        guard escape.count == 6, escape.dropFirst().first == UInt8(ascii: "u"),
            let unit = Hex.decode(String(decoding: escape.suffix(4), as: UTF8.self))
        else { return false }
        return unit == [0, 0] || unit[0] & 0xF8 == 0xD8
    }
}
