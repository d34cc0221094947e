import AppStoreSimulation
import Primitives

/// Changes signed texts as transport, storage and attackers may change them.
struct Mutator: Sendable {
    let originals: [[UInt8]]

    static let kinds = 11

    private static let base64URL = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    private static let jsonLetters = Array(#"{}[]":,\0123456789-eE.u "#.utf8) + [0x00, 0x80, 0xC3]

    func mutation(_ random: inout SeededGenerator) -> [UInt8] {
        var text = random.element(of: originals)
        let place = random.below(text.count)
        switch random.below(Self.kinds) {
        case 0:
            for _ in 0...random.below(3) { text[random.below(text.count)] ^= 1 << UInt8(random.below(8)) }
        case 1:
            text[place] = UInt8(truncatingIfNeeded: random.next())
        case 2:
            text = random.chance(percent: 50) ? Array(text[place...]) : Array(text[..<place])
        case 3:
            let bytes = random.chance(percent: 50) ? Self.base64URL : Array(UInt8.min...UInt8.max)
            for _ in 0...random.below(4) { text.insert(random.element(of: bytes), at: place) }
        case 4:
            text.removeSubrange(place..<min(text.count, place + 1 + random.below(8)))
        case 5:
            text.insert(contentsOf: text[place..<min(text.count, place + 1 + random.below(64))], at: place)
        case 6:
            for _ in 0...random.below(3) {
                let place = random.below(text.count)
                if text[place] != UInt8(ascii: ".") { text[place] = random.element(of: Self.base64URL) }
            }
        case 7:
            swapSegments(of: &text, &random)
        case let kind:
            editSegment(kind - 8, of: &text, &random)
        }
        return text
    }

    /// Exchanges two segments of one text, or takes one from another text.
    private func swapSegments(of text: inout [UInt8], _ random: inout SeededGenerator) {
        var segments = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        if random.chance(percent: 50) {
            segments.swapAt(random.below(segments.count), random.below(segments.count))
        } else {
            let other = random.element(of: originals)
                .split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            segments[random.below(segments.count)] = other[random.below(other.count)]
        }
        text = Array(segments.joined(separator: [UInt8(ascii: ".")]))
    }

    /// Changes the bytes that a segment encodes; its form stays valid.
    private func editSegment(_ index: Int, of text: inout [UInt8], _ random: inout SeededGenerator) {
        var segments = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard var bytes = Array(segments[index]).withUnsafeBytes(Base64URL.decode(_:)) else { return }
        for _ in 0...random.below(3) where !bytes.isEmpty {
            let place = random.below(bytes.count)
            switch random.below(5) {
            case 0: bytes[place] ^= 1 << UInt8(random.below(8))
            case 1: bytes[place] = random.element(of: Self.jsonLetters)
            case 2: bytes.insert(random.element(of: Self.jsonLetters), at: place)
            case 3: bytes.remove(at: place)
            default:
                // Another digit or another letter keeps the JSON valid and changes its value.
                let isDigit = (48...57).contains(bytes[place])
                bytes[place] = isDigit ? 48 + UInt8(random.below(10)) : 97 + UInt8(random.below(26))
            }
        }
        segments[index] = Array(Base64URL.encode(bytes).utf8)[...]
        text = Array(segments.joined(separator: [UInt8(ascii: ".")]))
    }
}
