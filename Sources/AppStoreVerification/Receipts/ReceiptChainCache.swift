import Primitives
import Synchronization

/// The validated chain of a receipt.
struct ReceiptChain: Sendable {
    let chain: ValidatedChain
    /// Whether SHA-1 signs a certificate below the anchor.
    let usesSHA1: Bool
}

/// A cache of the chains of receipts. Apple signs with one certificate for a year or longer.
///
/// The key covers the certificates of the signers and all in the message, since a path may use any of them. A chain enters
/// only after a signature under it was verified, so only the holder of a trusted key can fill the cache.
final class ReceiptChainCache: Sendable {
    private static let limit = 256

    private let chains = Mutex<[Digest: ReceiptChain]>([:])

    static func key(_ signers: [[UInt8]], _ embedded: [[UInt8]]) -> Digest {
        // Each certificate states its own length.
        .sha256(of: [UInt8(truncatingIfNeeded: signers.count)] + (signers + embedded).flatMap(\.self))
    }

    func chain(for key: Digest) -> ReceiptChain? { chains.withLock { $0[key] } }

    /// Inserts a chain; a full cache begins again.
    func insert(_ chain: ReceiptChain, for key: Digest) {
        chains.withLock { chains in
            if chains.count >= Self.limit, chains[key] == nil { chains.removeAll() }
            chains[key] = chain
        }
    }
}
