import Primitives

/// The reason that bytes are not a record.
package struct RecordError: Error, Hashable, Sendable {
    package let what: String

    package init(what: String) {
        self.what = what
    }
}

extension Record {
    package static let format: UInt8 = 1
    package static let fixedByteCount = 152
    /// The maximum size of a record in bytes, without the leaf hash stored after it.
    package static let byteLimit = 4_096

    package var byteCount: Int { Self.fixedByteCount + body.count }

    /// The record's bytes, the input of the leaf hash.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(byteCount)
        append(to: &bytes)
        return bytes
    }

    func append(to bytes: inout [UInt8]) {
        bytes += [
            Self.format, kind.rawValue, source.rawValue, environment.rawValue, artifact.rawValue, trust.rawValue,
        ]
        bytes.appendLittleEndian(flags.rawValue)
        bytes.appendLittleEndian(position)
        bytes.appendLittleEndian(recordedAt.milliseconds)
        bytes.append(idempotencyKey)
        bytes.append(evidenceDigest)
        bytes.appendLittleEndian(evidenceLength)
        bytes.appendLittleEndian(UInt32(body.count))
        bytes.appendLittleEndian(verifiedAt.milliseconds)
        bytes.append(leafCertificate)
        bytes.append(rootCertificate)
        bytes += body
    }

    /// Creates a record that must fill `bytes` exactly.
    /// - Throws: `RecordError` naming the first invalid field.
    package init(reading bytes: RawSpan) throws(RecordError) {
        guard Self.fixedByteCount...Self.byteLimit ~= bytes.byteCount else {
            throw RecordError(
                what: "a record of \(bytes.byteCount) bytes, expected \(Self.fixedByteCount) to \(Self.byteLimit)")
        }
        guard bytes.byte(at: 0) == Self.format else {
            throw RecordError(what: "record format \(bytes.byte(at: 0)), expected \(Self.format)")
        }
        guard let source = EventSource(rawValue: bytes.byte(at: 2)) else {
            throw RecordError(what: "source \(bytes.byte(at: 2))")
        }
        guard let environment = EnvironmentCode(rawValue: bytes.byte(at: 3)) else {
            throw RecordError(what: "environment \(bytes.byte(at: 3))")
        }
        guard let trust = TrustClass(rawValue: bytes.byte(at: 5)) else {
            throw RecordError(what: "trust \(bytes.byte(at: 5))")
        }
        let bodyLength = Int(bytes.littleEndian(at: 76, as: UInt32.self))
        guard bytes.byteCount == Self.fixedByteCount + bodyLength else {
            throw RecordError(what: "a body of \(bodyLength) bytes in a record of \(bytes.byteCount)")
        }
        self.init(
            position: bytes.littleEndian(at: 8, as: UInt64.self), kind: EventKind(rawValue: bytes.byte(at: 1)),
            source: source, environment: environment, artifact: ArtifactCode(rawValue: bytes.byte(at: 4)),
            trust: trust, flags: RecordFlags(rawValue: bytes.littleEndian(at: 6, as: UInt16.self)),
            recordedAt: Instant(milliseconds: bytes.littleEndian(at: 16, as: Int64.self)),
            idempotencyKey: IdempotencyKey(bytes.littleEndian(at: 24, as: UInt128.self).byteSwapped),
            evidenceDigest: bytes.digest(at: 40), evidenceLength: bytes.littleEndian(at: 72, as: UInt32.self),
            verifiedAt: Instant(milliseconds: bytes.littleEndian(at: 80, as: Int64.self)),
            leafCertificate: bytes.digest(at: 88), rootCertificate: bytes.digest(at: 120),
            body: bytes.array(in: Self.fixedByteCount..<bytes.byteCount))
    }
}
