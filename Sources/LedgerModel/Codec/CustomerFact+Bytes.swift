import AppStoreModel
import Primitives

/// The stored form: a kind byte, then each part after its length. The position is that of the event.
extension CustomerFact {
    /// The values are those of the event kinds, where a kind has one form.
    fileprivate enum Kind: UInt8 {
        case claim = 16
        case merge = 17
        case refusedClaim = 18
        case transfer = 19
        case grant = 20
        case erasure = 21
        case unmerge = 22
        case consent = 23
        case token = 24
        /// Not event kinds of their own: a customerLinked of a download, named by an appTransactionId or by its date and
        /// version.
        case download = 128
        case firstDownload = 129
    }

    package func append(to bytes: inout [UInt8]) {
        let (kind, parts): (Kind, [[UInt8]]) =
            switch self {
            case .claim(let claim): (.claim, Self.parts(claim))
            case .refusedClaim(let claim): (.refusedClaim, Self.parts(claim))
            case .transfer(let transfer): (.transfer, [transfer.customer.bytes] + Self.parts(transfer.key))
            case .directory(.merge(let merge)):
                (.merge, [merge.customer.bytes, merge.into.bytes, Array(merge.by.name.utf8)])
            case .directory(.unmerge(let unmerge)): (.unmerge, [unmerge.customer.bytes, unmerge.into.bytes])
            case .directory(.erasure(let erasure)): (.erasure, [erasure.customer.bytes])
            case .token(let mapping): (.token, [mapping.customer.bytes, Array(mapping.token.text.utf8)])
            case .grant(let grant): (.grant, Self.parts(grant))
            case .download(let claim): Self.parts(claim)
            case .consent(let consent): (.consent, [consent.customer.bytes, [consent.isGiven ? 1 : 0]])
            }
        bytes.append(kind.rawValue)
        for part in parts {
            bytes.appendLittleEndian(UInt32(part.count))
            bytes += part
        }
    }

    private static func parts(_ claim: Claim) -> [[UInt8]] {
        [claim.customer.bytes] + parts(claim.key) + [Array(claim.by.name.utf8)]
    }

    private static func parts(_ claim: DownloadClaim) -> (Kind, [[UInt8]]) {
        let account = claim.account
        let names = [account.environment.rawValue, account.bundleId, claim.by.name].map { Array($0.utf8) }
        let parts = [claim.customer.bytes] + names
        return switch account.account {
        case .appTransaction(let id): (.download, parts + [Array(id.text.utf8)])
        case .firstDownload(let instant, let version):
            (.firstDownload, parts + [bytes(instant), Array(version.text.utf8)])
        }
    }

    /// An empty end is that of a grant that does not end.
    private static func parts(_ grant: EntitlementGrant) -> [[UInt8]] {
        [grant.customer.bytes] + [grant.entitlement.text, grant.because].map { Array($0.utf8) }
            + [bytes(grant.from), grant.until.map(bytes) ?? []]
    }

    private static func bytes(_ instant: Instant) -> [UInt8] {
        UInt64(bitPattern: instant.milliseconds).bigEndianBytes
    }

    private static func parts(_ key: SubscriptionKey) -> [[UInt8]] {
        [key.environment.rawValue, key.bundleId, key.originalTransactionId].map { Array($0.utf8) }
    }

    /// - Returns: nil when the bytes are of another version or damaged.
    package init?(_ bytes: RawSpan, position: Position) {
        var parts = Parts(at: 1)
        guard let kind = Kind(rawValue: bytes.byte(at: 0)), let customer = parts.handle(in: bytes) else { return nil }
        switch kind {
        case .claim, .refusedClaim:
            guard let key = parts.key(in: bytes), let by = parts.authority(in: bytes) else { return nil }
            let claim = Claim(key: key, customer: customer, by: by, position: position)
            self = kind == .claim ? .claim(claim) : .refusedClaim(claim)
        case .download, .firstDownload:
            guard let environment = parts.text(in: bytes), let bundleId = parts.text(in: bytes),
                let by = parts.authority(in: bytes), let account = parts.account(kind, in: bytes)
            else { return nil }
            let key = AppAccountKey(
                environment: Environment(rawValue: environment), bundleId: bundleId, account: account)
            self = .download(DownloadClaim(account: key, customer: customer, by: by, position: position))
        case .transfer:
            guard let key = parts.key(in: bytes) else { return nil }
            self = .transfer(Transfer(key: key, customer: customer, position: position))
        case .merge:
            guard let into = parts.handle(in: bytes), let by = parts.authority(in: bytes) else { return nil }
            self = .directory(.merge(Merge(customer: customer, into: into, by: by, position: position)))
        case .token:
            guard let token = parts.text(in: bytes).flatMap({ AppAccountToken($0) }) else { return nil }
            self = .token(TokenMapping(token: token, customer: customer, position: position))
        case .grant:
            guard let entitlement = parts.text(in: bytes), let because = parts.text(in: bytes),
                let from = parts.instant(in: bytes), let from, let until = parts.instant(in: bytes)
            else { return nil }
            self = .grant(
                EntitlementGrant(
                    customer: customer, entitlement: Symbol(entitlement), from: from, until: until, because: because,
                    position: position))
        case .consent:
            guard let isGiven = parts.flag(in: bytes) else { return nil }
            self = .consent(ConsumptionConsent(customer: customer, isGiven: isGiven, position: position))
        case .erasure: self = .directory(.erasure(Erasure(customer: customer, position: position)))
        case .unmerge:
            guard let into = parts.handle(in: bytes) else { return nil }
            self = .directory(.unmerge(Unmerge(customer: customer, into: into, position: position)))
        }
        guard parts.offset == bytes.byteCount else { return nil }
    }
}

/// Reads parts in order, each after its length.
private struct Parts {
    private(set) var offset: Int

    init(at offset: Int) {
        self.offset = offset
    }

    private mutating func next(in bytes: RawSpan) -> Range<Int>? {
        guard bytes.byteCount - offset >= 4 else { return nil }
        let start = offset + 4
        let count = Int(bytes.littleEndian(at: offset, as: UInt32.self))
        guard count <= bytes.byteCount - start else { return nil }
        offset = start + count
        return start..<offset
    }

    mutating func text(in bytes: RawSpan) -> String? {
        next(in: bytes).flatMap { part in
            bytes.extracting(part).withUnsafeBytes { String(validating: $0, as: UTF8.self) }
        }
    }

    mutating func handle(in bytes: RawSpan) -> CustomerHandle? {
        guard let part = next(in: bytes), part.count == CustomerHandle.byteCount else { return nil }
        return CustomerHandle(value: bytes.bigEndian(at: part.lowerBound, as: UInt128.self))
    }

    /// Returns the instant of a part, which is nil if the part is empty; nil if the part is damaged.
    mutating func instant(in bytes: RawSpan) -> Instant?? {
        guard let part = next(in: bytes) else { return nil }
        guard !part.isEmpty else { return .some(nil) }
        guard part.count == 8 else { return nil }
        return Instant(milliseconds: bytes.bigEndian(at: part.lowerBound, as: Int64.self))
    }

    mutating func flag(in bytes: RawSpan) -> Bool? {
        guard let part = next(in: bytes), part.count == 1 else { return nil }
        return bytes.byte(at: part.lowerBound) == 1
    }

    mutating func authority(in bytes: RawSpan) -> Claim.Authority? {
        text(in: bytes).flatMap { Claim.Authority(name: $0) }
    }

    mutating func account(_ kind: CustomerFact.Kind, in bytes: RawSpan) -> AppAccountKey.Account? {
        guard kind == .firstDownload else { return text(in: bytes).map { .appTransaction(AppleID($0)) } }
        guard let date = instant(in: bytes), let date, let version = text(in: bytes) else { return nil }
        return .firstDownload(at: date, version: Symbol(version))
    }

    mutating func key(in bytes: RawSpan) -> SubscriptionKey? {
        guard let environment = text(in: bytes), let bundleId = text(in: bytes), let id = text(in: bytes) else {
            return nil
        }
        return SubscriptionKey(
            environment: Environment(rawValue: environment), bundleId: bundleId, originalTransactionId: id)
    }
}
