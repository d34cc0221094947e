import LMDB
import LedgerStorage
package import Primitives
package import TransparencyLog

extension LogReader {
    /// Returns the root over the first `size` events, from stored hashes.
    /// - Precondition: `size` is not above the head.
    /// - Complexity: at most 255 reads per level of tiles.
    package func root(ofFirst size: UInt64) throws -> Digest {
        let store = try core.store()
        return try reading { transaction in
            try TreeReader(size: size).root { level, index in
                try store.storedHash(transaction, level: level, index: index)
            }
        }
    }

    /// Returns the proof that an event is in the tree over the first `size` events; nil if it is not.
    /// - Precondition: `size` is not above the head.
    package func inclusionProof(of position: UInt64, inFirst size: UInt64) throws -> [Digest]? {
        let store = try core.store()
        return try reading { transaction in
            try TreeReader(size: size).inclusionProof(of: position) { level, index in
                try store.storedHash(transaction, level: level, index: index)
            }
        }
    }

    /// Returns the proof that the tree over the first `size` events begins with that over the first `oldSize`; nil if
    /// that is larger.
    /// - Precondition: `size` is not above the head.
    package func consistencyProof(from oldSize: UInt64, to size: UInt64) throws -> [Digest]? {
        let store = try core.store()
        return try reading { transaction in
            try TreeReader(size: size).consistencyProof(from: oldSize) { level, index in
                try store.storedHash(transaction, level: level, index: index)
            }
        }
    }

    /// Returns the body of a tile or an entry bundle of the tree over the first `size` events; nil if that tree does
    /// not contain it.
    /// - Precondition: `size` is not above the head.
    package func body(of resource: TileResource, inTreeOf size: UInt64) throws -> [UInt8]? {
        let store = try core.store()
        switch resource {
        case .hashes(let tile):
            return try reading { transaction in
                try TreeReader(size: size).body(of: tile) { level, index in
                    try store.storedHash(transaction, level: level, index: index)
                }
            }
        case .entries(let tile):
            guard tile.isComplete(inTreeOf: size) else { return nil }
            return try reading { transaction in
                var bundle: [UInt8] = []
                for position in tile.indices {
                    guard let record = try store.record(transaction, at: position) else {
                        throw StorageError(
                            .logCorrupt, "record at position \(position) is missing",
                            hint: "Run `subledger audit verify --deep`.")
                    }
                    try EntryBundle.append(record.bytes.span.bytes, to: &bundle)
                }
                return bundle
            }
        }
    }
}
