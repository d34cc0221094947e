import LedgerStorage
import Primitives
import TransparencyLog

/// The files of a bundle while it is made. Their contents are in a temporary file, so memory is bounded.
struct BundleFiles {
    private let spool: SpoolFile
    private var places: [String: (entry: ZipFormat.Entry, start: Int, digest: Digest)] = [:]

    init() throws {
        spool = try SpoolFile()
    }

    var count: Int { places.count }

    mutating func add(_ name: String, _ bytes: [UInt8]) throws {
        guard places[name] == nil else { return }
        let entry = ZipFormat.Entry(name: name, size: bytes.count, crc: ZipFormat.crc(of: bytes))
        places[name] = (entry, spool.size, .sha256(of: bytes))
        try spool.append(bytes)
    }

    mutating func add(_ name: String, _ json: JSONValue) throws { try add(name, json.canonical()) }

    /// Adds the sums of all files and the signed note over them.
    mutating func sign(_ signer: NoteSigner) throws {
        let sums = BundleSums.bytes(of: places.mapValues(\.digest))
        try add(BundlePath.sums, sums)
        try add(BundlePath.sumsNote, signer.sign(BundleSums.text(of: sums, by: signer.verifier.key.name)).bytes)
    }

    /// Writes the ZIP file.
    func write(to path: String) throws {
        let zip = try ZipWriter(path)
        for (_, place) in places.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
            try zip.append(place.entry, spool.read(place.start..<place.start + place.entry.size))
        }
        try zip.finish()
    }
}

/// The lines of `SHA256SUMS`, as `sha256sum` writes them, ordered by name.
enum BundleSums {
    static func bytes(of digests: [String: Digest]) -> [UInt8] {
        let lines = digests.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
            .map { "\($0.value.hex)  \($0.key)\n" }
        return Array(lines.joined().utf8)
    }

    /// The text of the note over the sums.
    static func text(of sums: [UInt8], by name: String) -> String { "\(name)\n\(Digest.sha256(of: sums).hex)\n" }

    /// Reads lines in their only form; nil for others.
    static func digests(in bytes: [UInt8]) -> [String: Digest]? {
        var digests: [String: Digest] = [:]
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            let text = String(decoding: line, as: UTF8.self)
            guard text.utf8.count > 66, let digest = Digest(hex: String(text.prefix(64))) else { return nil }
            digests[String(text.dropFirst(66))] = digest
        }
        return self.bytes(of: digests) == bytes ? digests : nil
    }
}
