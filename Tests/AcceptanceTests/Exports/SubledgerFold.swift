import FactSegments
import FoundationEssentials
import Glibc
import LedgerTesting
import Primitives
import Testing

/// The answer of subledger-fold to a file of frames.
struct SubledgerFold {
    let ending: ChildProcess.Ending
    let errors: String
    private(set) var frames: [Frame] = []

    /// - Parameters:
    ///   - folder: an existing folder for temporary files.
    ///   - root: the folder that is the root of the program's file system, with the program and `inputs.json` in it.
    init(_ segment: String, inputs: String, in folder: String, root: String? = nil) throws {
        let output = "\(folder)/answer-\(UUID().uuidString)"
        defer { unlink(output) }
        let program = try ChildProcess.folder() + "/subledger-fold"
        let command = root.map { ["chroot", $0, "/subledger-fold", "/inputs.json"] } ?? [program, inputs]
        let child = try ChildProcess(
            "/bin/sh",
            ["-c", "input=$1 output=$2; shift 2; exec \"$@\" < \"$input\" > \"$output\"", "sh", segment, output]
                + command)
        child.closeInput()
        ending = child.end(by: nil)
        errors = child.standardError
        guard ending == .exited(0) else { return }
        var reader = FrameReader()
        reader.append(try File.read(output))
        while let frame = try reader.read() { frames.append(frame) }
        try reader.finish()
    }
}

/// The tables that are folded from the segments of an export, without an engine.
struct FoldedTables {
    /// The bytes of the file of each table, by name.
    private(set) var files: [String: [UInt8]] = [:]
    private(set) var rowCounts: [String: Int64] = [:]
    private var rows: [UInt8: [(key: [UInt8], line: [UInt8])]] = [:]
    private var sums: [UInt8: [[UInt8]: [Int64]]] = [:]
    private var headers: [UInt8: (name: String, bytes: [UInt8])] = [:]

    /// - Parameter export: the folder of an export of facts.
    init(_ export: String, _ segments: [String], in folder: String) throws {
        let inputs = export + "/inputs.json"
        for segment in segments { try add(try SubledgerFold("\(export)/\(segment)", inputs: inputs, in: folder)) }
        let path = "\(folder)/sums-\(UUID().uuidString)"
        try File.write(summed, to: path)
        defer { unlink(path) }
        try add(try SubledgerFold(path, inputs: inputs, in: folder))
        for (table, header) in headers {
            let lines = (rows[table] ?? []).sorted { $0.key.lexicographicallyPrecedes($1.key) }
            files[header.name] = header.bytes + lines.flatMap(\.line)
        }
    }

    private mutating func add(_ answer: SubledgerFold) throws {
        try #require(answer.ending == .exited(0), "\(answer.errors)")
        for frame in answer.frames {
            if frame.kind == .tally { try add(tally: frame) } else { try add(row: frame) }
        }
    }

    private mutating func add(tally frame: Frame) throws {
        let tally = try JSONDocument(parsing: Array(frame.body)).root
        let (table, name) = (try #require(tally["table"]?.integer), try #require(tally["name"]?.string))
        headers[UInt8(table)] = (name, Array((tally["header"]?.string ?? "").utf8))
        rowCounts[name, default: 0] += tally["rows"]?.integer ?? 0
    }

    private mutating func add(row frame: Frame) throws {
        let table = try #require(frame.body.first)
        let rest = Array(frame.body.dropFirst())
        let end = 4 + Int(rest.span.bytes.littleEndian(at: 0, as: UInt32.self))
        let (key, value) = (Array(rest[4..<end]), Array(rest[end...]))
        guard frame.kind == .sum else { return rows[table, default: []].append((key, value)) }
        let numbers = stride(from: 0, to: value.count, by: 8).map {
            value.span.bytes.littleEndian(at: $0, as: Int64.self)
        }
        let known = sums[table]?[key] ?? numbers.map { _ in 0 }
        sums[table, default: [:]][key] = zip(known, numbers).map(+)
    }

    private var summed: [UInt8] {
        var writer = FrameWriter()
        for (table, parts) in sums.sorted(by: { $0.key < $1.key }) {
            for (key, numbers) in parts.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
                writer.append(.sum) { bytes in
                    bytes.append(table)
                    bytes.appendLittleEndian(UInt32(key.count))
                    bytes += key
                    for number in numbers { bytes.appendLittleEndian(number) }
                }
            }
        }
        writer.finish()
        return writer.take()
    }
}
