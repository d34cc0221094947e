import LedgerModel
package import Primitives

/// The first frame of a segment.
package struct SegmentHeader: Hashable, Sendable {
    /// The version of segments.
    private static let version: Int64 = 1
    private static let kind = "subledger facts"

    /// From 0 on.
    package let partition: Int
    package let partitions: Int
    /// The SHA-256 of the inputs.
    package let inputs: Digest

    package init(partition: Int, of partitions: Int, inputs: Digest) {
        (self.partition, self.partitions, self.inputs) = (partition, partitions, inputs)
    }

    /// The body is an RFC 8785 object.
    package func append(to writer: inout FrameWriter) {
        let members = JSONValue.object([
            "kind": .string(Self.kind), "version": .integer(Self.version),
            "decoder": .integer(Int64(FactCodec.version)), "partition": JSONValue(partition),
            "partitions": JSONValue(partitions), "inputsSha256": .string(inputs.hex),
        ])
        writer.append(.header) { $0.append(contentsOf: members.canonical()) }
    }

    /// - Throws: `SegmentError`: `segment_corrupt` for a frame that is no header; `version_unknown`.
    package init(_ frame: Frame) throws(SegmentError) {
        guard frame.kind == .header, let root = try? JSONDocument(parsing: Array(frame.body)).root,
            root["kind"]?.string == Self.kind, let partition = root["partition"]?.integer,
            let partitions = root["partitions"]?.integer,
            let inputs = root["inputsSha256"]?.string.flatMap({ Digest(hex: $0) })
        else {
            throw .corrupt(
                "the stream is no segment of facts", expected: "a header", found: "a frame of kind \(frame.kind)")
        }
        let (version, decoder) = (root["version"]?.integer, root["decoder"]?.integer)
        guard version == Self.version, decoder == Int64(FactCodec.version) else {
            throw SegmentError(
                .versionUnknown, "the segment is of another version",
                expected: "version \(Self.version), decoder \(FactCodec.version)",
                found: "\(version ?? 0) and \(decoder ?? 0)")
        }
        self.init(partition: Int(partition), of: Int(partitions), inputs: inputs)
    }
}
