import Glibc
import Primitives
import Synchronization

/// Validated chains by the text of the JWS header that carries them: the steady state is one comparison and one
/// signature a JWS.
///
/// The header's text is the key, not its certificates' digests: decoding and hashing three certificates costs a
/// quarter of the signature check they save. A chain enters only after a signature under it verified, so nobody
/// without Apple's key can fill the cache.
final class ChainCache: Sendable {
    /// Apple signs with a handful of certificates at a time.
    static let limit = 256

    private struct Entry: Sendable {
        let header: [UInt8]
        let chain: ValidatedChain
    }

    private let entries = Mutex<[Entry]>([])

    var count: Int { entries.withLock { $0.count } }

    func chain(for jws: JWS) -> ValidatedChain? {
        entries.withLock { entries in
            guard let index = entries.firstIndex(where: { Self.equal($0.header, jws) }) else { return nil }
            return entries[index].chain
        }
    }

    /// The oldest entry gives way when the cache is full.
    func insert(_ chain: ValidatedChain, for jws: JWS) {
        entries.withLock { entries in
            guard !entries.contains(where: { Self.equal($0.header, jws) }) else { return }
            if entries.count == Self.limit { entries.removeFirst() }
            entries.append(Entry(header: Array(jws.header), chain: chain))
        }
    }

    private static func equal(_ header: [UInt8], _ jws: JWS) -> Bool {
        guard header.count == jws.headerEnd else { return false }
        return header.withUnsafeBytes { header in
            jws.text.withUnsafeBytes { text in
                guard let start = header.baseAddress, let other = text.baseAddress else { return header.isEmpty }
                // In bounds: the text begins with headerEnd bytes of header.
                return memcmp(start, other, header.count) == 0
            }
        }
    }
}
