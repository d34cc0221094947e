import Glibc
import Primitives
import Synchronization

/// A cache of validated chains. In the steady state, a JWS requires one comparison and one signature check.
///
/// The key is the text of the JWS header that carries the chain, not its certificates' digests: decoding and hashing
/// three certificates costs a quarter of the signature check they save. A chain enters only after a signature under it
/// was verified, so only the holder of a trusted key can fill the cache.
final class ChainCache: Sendable {
    /// The maximum number of entries. Apple signs with a handful of certificates at a time.
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

    /// Inserts a chain, evicting the oldest entry when the cache is full.
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
                // In bounds: both buffers have at least headerEnd bytes.
                return memcmp(start, other, header.count) == 0
            }
        }
    }
}
