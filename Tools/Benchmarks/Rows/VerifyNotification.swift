import AppStoreModel
import AppStoreSimulation
import AppStoreVerification
import Primitives

import enum Crypto.P256
import struct Crypto.SHA256

extension BenchmarkRow {
    /// The verification of distinct notifications of three JWS each, on one thread and on all cores. The worse counts.
    static let verifyNotification = BenchmarkRow(
        name: "verify-notification", unit: "notifications/s a core",
        limitName: "the same three signing inputs hashed and verified with ready keys and signatures",
        target: .ratioAtLeast(0.85)
    ) { progress in
        progress.report("signing \(VerificationSample.usualCount) notifications")
        let sample = try await VerificationSample()
        var measurements: [Measurement] = []
        for threads in Set([1, Machine.this.cores]).sorted() {
            var measurement = try await Measurement.alternating(progress) {
                try await sample.rate(threads: threads) { try await sample.verify($0) }
            } limit: {
                try await sample.rate(threads: threads) { try await sample.checkSignatures(of: $0) }
            }
            measurement.note = "\(threads) thread\(threads == 1 ? "" : "s"): \(measurement.summary)"
            measurements.append(measurement)
        }
        var worst = measurements.min { ($0.ratio ?? 0) < ($1.ratio ?? 0) } ?? Measurement(values: [0])
        worst.note = measurements.map(\.note).joined(separator: "; ")
        return worst
    }
}

extension Measurement {
    fileprivate var summary: String {
        "\(value.short) of \(limit?.short ?? "-"), \(ratio?.short ?? "-")"
    }
}

/// Notifications, and the prepared inputs for verifying their signatures alone.
struct VerificationSample: Sendable {
    static let usualCount = 2_000

    private struct Prepared: Sendable {
        let signingInput: [UInt8]
        let signature: P256.Signing.ECDSASignature
    }

    let texts: [[UInt8]]
    /// The total size of all payloads. A nested JWS does not count in the payload that contains it.
    let payloadByteCount: Int
    private let prepared: [[Prepared]]
    private let key: P256.Signing.PublicKey
    private let verifier: SignedDataVerifier
    private let now = Instant.latest

    init(count: Int = usualCount) async throws {
        let authority = SigningAuthority.standard
        guard case .p256(let leafKey) = authority.leafKey else { throw BenchmarkFailure("the leaf has no P-256 key") }
        key = leafKey.publicKey
        verifier = SignedDataVerifier(
            trust: TrustPolicy(configuredRoots: [try ConfiguredRoot(file: authority.rootCertificate)]))
        texts = BulkNotifications(count: count).map(\.jws.compact)
        var prepared: [[Prepared]] = []
        var payloadByteCount = 0
        for text in texts {
            // Verifying once also fills the verifier's chain cache, as in the steady state.
            guard case .notification(let notification) = try await verifier.verify(text, now: now).get(),
                let transaction = notification.transaction, let renewalInfo = notification.renewalInfo
            else { throw BenchmarkFailure("a notification of the sample has no three JWS") }
            let parts = [notification.outer.jws, transaction.jws, renewalInfo.jws]
            payloadByteCount +=
                notification.outer.jws.payload.bytes.count - transaction.jws.text.count
                - renewalInfo.jws.text.count + transaction.jws.payload.bytes.count + renewalInfo.jws.payload.bytes.count
            prepared.append(
                try parts.map { jws in
                    Prepared(
                        signingInput: Array(jws.text[..<jws.payloadEnd]),
                        signature: try P256.Signing.ECDSASignature(rawRepresentation: jws.signature))
                })
        }
        self.prepared = prepared
        self.payloadByteCount = payloadByteCount
    }

    /// Returns notifications per second and thread, when each thread processes its share.
    func rate(
        threads: Int, _ work: @escaping @Sendable (StrideTo<Int>) async throws -> Void
    ) async throws -> Double {
        let start = ContinuousClock.now
        try await withThrowingTaskGroup(of: Void.self) { group in
            for thread in 0..<threads {
                group.addTask { try await work(stride(from: thread, to: texts.count, by: threads)) }
            }
            try await group.waitForAll()
        }
        return Double(texts.count) / Double(threads) / (ContinuousClock.now - start).seconds
    }

    func verify(_ indices: StrideTo<Int>) async throws {
        for index in indices {
            guard case .success = await verifier.verify(texts[index], now: now) else {
                throw BenchmarkFailure("a notification of the sample was refused")
            }
        }
    }

    /// Hashes the whole texts.
    func hash(_ indices: StrideTo<Int>) {
        for index in indices { _ = Digest.sha256(of: texts[index]) }
    }

    func checkSignatures(of indices: StrideTo<Int>) async throws {
        for index in indices {
            for jws in prepared[index] {
                let digest = jws.signingInput.withUnsafeBytes { bytes in
                    var hash = SHA256()
                    hash.update(bufferPointer: bytes)
                    return hash.finalize()
                }
                guard key.isValidSignature(jws.signature, for: digest) else {
                    throw BenchmarkFailure("a signature of the sample is wrong")
                }
            }
        }
    }
}
