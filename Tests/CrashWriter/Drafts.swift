import AppStoreSimulation
import AppStoreVerification
import EventLog
import Primitives

/// The events of a client's calls. They depend only on the seed, the client and the call, so a call can be repeated if
/// its answer was lost.
struct Drafts {
    let seed: UInt64
    let client: Int

    /// The first client that posts notifications. Earlier clients append evidence that cannot be packed.
    private static let firstNotifying = 24

    static var trust: TrustPolicy {
        guard let root = SigningAuthority.standard.certificates.last, let configured = try? ConfiguredRoot(file: root)
        else { preconditionFailure("the simulated App Store has a root") }
        return TrustPolicy(configuredRoots: [configured])
    }

    func notification(_ call: Int) -> [UInt8]? {
        guard client >= Self.firstNotifying else { return nil }
        let calls = 1 << 20
        let notifications = BulkNotifications(count: calls * 64)
        return notifications[(client - Self.firstNotifying) * calls + call % calls].jws.compact
    }

    /// One event, or up to three that are committed atomically.
    func events(_ call: Int) -> [EventDraft] {
        (0..<(client.isMultiple(of: 2) ? 1 : 1 + call % 3)).map { draft(call, $0) }
    }

    private func draft(_ call: Int, _ index: Int) -> EventDraft {
        let name = Array("\(seed)/\(client)/\(call)/\(index)".utf8)
        return EventDraft(
            // A kind that no version knows: its content is not checked.
            kind: EventKind(rawValue: 255), source: .operator, environment: .none, artifact: .yaml, trust: .own,
            idempotencyKey: IdempotencyKey(artifact: .yaml, environment: .none, key: name), evidence: evidence(name),
            verifiedAt: Instant(milliseconds: 1_750_000_000_000),
            body: Array(#"{"by":"\#(String(repeating: "x", count: call % 40))"}"#.utf8))
    }

    /// Usually a few hundred bytes. One in sixteen takes overflow pages, and one in sixteen is empty.
    private func evidence(_ name: [UInt8]) -> Evidence {
        var block = Digest.sha256(of: name)
        let words = block.words
        let byteCount =
            switch words.0 % 16 {
            case 0: 4_000 + Int(words.1 % 8_000)
            case 1: 0
            default: 40 + Int(words.1 % 900)
            }
        guard byteCount > 0 else { return .none }
        var bytes: [UInt8] = []
        while bytes.count < byteCount {
            block = .sha256(of: block.bytes)
            bytes += block.bytes
        }
        return Evidence(bytes: Array(bytes.prefix(byteCount)))
    }
}
