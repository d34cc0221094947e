import LedgerStorage
package import ObjectStorage
import Primitives
package import TableFiles

/// A bucket, or a prefix in it, that takes exports.
package struct BucketDestination: ExportDestination {
    private let location: S3Location
    private let bucket: S3Bucket

    package init(_ location: S3Location, _ bucket: S3Bucket) {
        (self.location, self.bucket) = (location, bucket)
    }

    package var format: TableFileFormat { .parquet(.snappy) }

    /// Returns nil: a bucket may have exports that do not continue each other.
    package func newestExport() async throws -> ExportBase? { nil }

    package func address(of file: String) -> String { location.url(of: file) }

    package func read(_ file: String, limit: Int) async throws -> [UInt8]? {
        try await bucket.get(location.key(file), limit: limit)
    }

    package func create(_ file: String, _ bytes: [UInt8]) async throws -> Bool {
        try await bucket.putIfAbsent(bytes, as: location.key(file))
    }

    package func contains(_ file: ExportManifest.File, of name: String) async throws -> Bool {
        let found = try await bucket.head(location.key("\(name)/\(file.path)"))
        return found == S3Object(byteCount: file.bytes, sha256: file.sha256)
    }

    /// The files are written to a temporary folder first: neither their digests nor their sizes are known before.
    package func store(
        _ name: String, write: (ExportFolder) throws -> ExportManifest
    ) async throws -> ExportManifest {
        let temporary = try Folder.temporary()
        defer { try? temporary.remove() }
        let folder = ExportFolder(path: temporary.path)
        let manifest = try write(folder)
        for file in manifest.tables.flatMap(\.files) where try await !contains(file, of: name) {
            try await upload(file, of: folder, as: "\(name)/\(file.path)")
        }
        try await createManifest(manifest, of: name)
        return manifest
    }

    private func upload(_ file: ExportManifest.File, of folder: ExportFolder, as name: String) async throws {
        try await bucket.upload(byteCount: Int(file.bytes), sha256: file.sha256, as: location.key(name)) {
            try folder.bytes(of: file.path, in: $0)
        }
    }
}
