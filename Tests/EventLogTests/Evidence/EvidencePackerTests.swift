import EventLog
import Glibc
import LedgerStorage
import LedgerTesting
import Primitives
import Testing

@Suite struct `Evidence packing` {
    private static let samples = 3_000

    @Test func `gives every text back byte for byte`() {
        var generator = SeededRandom()
        let packer = EvidencePacker(headers: HeaderTable(texts: []))
        var (packedCount, packedJSONCount) = (0, 0)
        for _ in 0..<Self.samples {
            let jws = SampleJWS.random(&generator)
            let evidence = generator.pick([jws.evidence, jws.evidence, jws.unsigned, Evidence(bytes: jws.text)])
            let packed = packer.pack(evidence)
            let back = packer.unpack(packed, byteCount: evidence.bytes.count)
            #expect(back == evidence.bytes, "seed \(SeededRandom.seed)")
            packedCount += packed.first == EvidencePacker.jwsVersion ? 1 : 0
            packedJSONCount += packed.first == EvidencePacker.jsonVersion ? 1 : 0
        }
        #expect(packedCount > Self.samples / 8 && packedJSONCount > Self.samples / 16)
    }

    @Test func `of nothing and of opaque bytes is those bytes`() {
        let packer = EvidencePacker(headers: HeaderTable(texts: []))
        #expect(packer.pack(Evidence(bytes: [])) == [0])
        #expect(packer.unpack([0], byteCount: 0) == [])
        #expect(packer.pack(Evidence(bytes: [1, 2, 3])) == [0, 1, 2, 3])
        #expect(packer.unpack([0, 1, 2, 3], byteCount: 3) == [1, 2, 3])
    }

    @Test(arguments: [63, 65, 0, 132])
    func `keeps a JWS raw whose signature has not 64 bytes`(count: Int) {
        let packer = EvidencePacker(headers: HeaderTable(texts: []))
        let jws = SampleJWS(header: [0x41], payload: Array("{}".utf8), signature: Array(repeating: 7, count: count))
        #expect(packer.pack(jws.evidence) == [EvidencePacker.rawVersion] + jws.text)
        var outer = SampleJWS(header: [0x41], payload: [], signature: Array(repeating: 7, count: 64))
        outer.nest(jws)
        #expect(packer.pack(outer.evidence) == [EvidencePacker.rawVersion] + outer.text)
    }

    @Test func `keeps a JWS raw whose parts are not where it says`() {
        var generator = SeededRandom()
        let packer = EvidencePacker(headers: HeaderTable(texts: []))
        for _ in 0..<500 {
            let jws = SampleJWS.notification(&generator)
            var told = jws
            let text = told.text
            switch Int.random(in: 0..<6, using: &generator) {
            case 0: told.nested.reverse()
            case 1: told.nested[1].range = told.nested[0].range
            case 2: told.nested[0].range = 0..<told.payload.count
            case 3: told.nested[1].range = told.payload.count..<told.payload.count + 5
            case 4: told.nested[0].jws.payload.append(0)
            default: told.signature[3] ^= 1
            }
            let packed = packer.pack(Evidence(bytes: text, layout: .jws(told.layout)))
            #expect(packed == [EvidencePacker.rawVersion] + text, "seed \(SeededRandom.seed)")
            guard told.layout.signature == jws.layout.signature, told.payload == jws.payload else { continue }
            let unsigned = packer.pack(Evidence(bytes: jws.payload, layout: .json(told.layout.nested)))
            #expect(unsigned == [EvidencePacker.rawVersion] + jws.payload, "seed \(SeededRandom.seed)")
        }
    }

    @Test func `of a notification takes less than 0.8 KB of its 18`() {
        var generator = SeededRandom()
        let packer = EvidencePacker(headers: HeaderTable(texts: []))
        for _ in 0..<50 {
            let jws = SampleJWS.notification(&generator)
            let packed = packer.pack(jws.evidence)
            #expect(jws.text.count > 16_000)
            #expect(packed.first == EvidencePacker.jwsVersion)
            #expect(packed.count <= 800)
        }
        #expect(packer.headers.count == 1)
    }

    @Test func `does without a number for headers beyond the 4,096th`() {
        let headers = HeaderTable(texts: [])
        let packer = EvidencePacker(headers: headers)
        func jws(_ number: Int) -> SampleJWS {
            SampleJWS(
                header: Array("header\(number)".utf8), payload: Array("{}".utf8),
                signature: .init(repeating: 1, count: 64))
        }
        for number in 0..<HeaderTable.limit {
            #expect(packer.pack(jws(number).evidence).first == EvidencePacker.jwsVersion)
        }
        #expect(headers.count == 4_096)
        let one = jws(4_096)
        #expect(packer.pack(one.evidence) == [EvidencePacker.rawVersion] + one.text)
        #expect(headers.count == 4_096)
        // Headers that already have a number keep it.
        #expect(packer.pack(jws(17).evidence).first == EvidencePacker.jwsVersion)
    }

    @Test func `needs the headers it was packed with`() {
        var generator = SeededRandom()
        let jws = SampleJWS.notification(&generator)
        let packed = EvidencePacker(headers: HeaderTable(texts: [])).pack(jws.evidence)
        #expect(EvidencePacker(headers: HeaderTable(texts: [])).unpack(packed, byteCount: jws.text.count) == nil)
        let known = EvidencePacker(headers: HeaderTable(texts: [jws.header]))
        #expect(known.unpack(packed, byteCount: jws.text.count) == jws.text)
    }
}

@Suite struct `Damaged evidence` {
    @Test func `is found in whatever bit it is`() {
        var generator = SeededRandom()
        let packer = EvidencePacker(headers: HeaderTable(texts: []))
        let jws = SampleJWS.notification(&generator)
        for evidence in [jws.evidence, jws.unsigned] {
            let (packed, count) = (packer.pack(evidence), evidence.bytes.count)
            #expect(packed.first != EvidencePacker.rawVersion)
            for index in packed.indices {
                for mask in (0..<8).map({ UInt8(1) << UInt8($0) }) + [0xFF] {
                    var damaged = packed
                    damaged[index] ^= mask
                    #expect(packer.unpack(damaged, byteCount: count) == nil, "byte \(index)")
                }
            }
            for length in packed.indices {
                #expect(packer.unpack(Array(packed[..<length]), byteCount: count) == nil)
            }
            #expect(packer.unpack(packed + [0], byteCount: count) == nil)
            #expect(packer.unpack(packed, byteCount: count - 1) == nil)
            #expect(packer.unpack(packed, byteCount: count + 1) == nil)
        }
    }

    /// Recomputes the checksum, so that the forged bytes reach the rest of the unpacking.
    @Test func `that somebody made on purpose comes back as other bytes or not at all`() {
        var generator = SeededRandom()
        let packer = EvidencePacker(headers: HeaderTable(texts: [Array("h".utf8), []]))
        var (refused, other) = (0, 0)
        for _ in 0..<10_000 {
            let jws = generator.chance(50) ? .notification(&generator) : SampleJWS.random(&generator)
            let evidence = generator.pick([jws.evidence, jws.unsigned])
            var packed = packer.pack(evidence)
            guard packed.first != EvidencePacker.rawVersion else { continue }
            packed.removeLast(4)
            let front = min(packed.count, 3 + 74 * 3)
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                let index = Int.random(in: 1..<(generator.chance(70) ? front : packed.count), using: &generator)
                packed[index] = generator.pick([0, 1, 0x7F, 0x80, 0xFF, UInt8.random(in: 0...255, using: &generator)])
            }
            packed = Self.sealed(packed)
            let count = generator.pick([evidence.bytes.count, 0, 1, evidence.bytes.count * 2, 300_000])
            guard let back = packer.unpack(packed, byteCount: count) else {
                refused += 1
                continue
            }
            #expect(back.count == count)
            other += back == evidence.bytes ? 0 : 1
        }
        #expect(refused > 500 && other > 500, "seed \(SeededRandom.seed): \(refused) refused, \(other) other")
    }

    @Test func `of any bytes is refused`() {
        var generator = SeededRandom()
        let packer = EvidencePacker(headers: HeaderTable(texts: [Array("h".utf8)]))
        for count in 0..<2_000 {
            let bytes = Self.sealed([generator.pick([1, 1, 1, 2, 255]), 1, UInt8(count % 4)] + generator.bytes(count))
            #expect(packer.unpack(bytes, byteCount: 5_000) == nil)
        }
        #expect(packer.unpack([], byteCount: 0) == nil)
        #expect(packer.unpack([2], byteCount: 0) == nil)
        #expect(packer.unpack([0], byteCount: 1) == nil)
    }

    /// Runs in a process whose memory limit allows only for the evidence.
    @Test func `that claims to be large takes no more memory than the record tells`() async {
        await #expect(processExitsWith: .success) {
            let packer = EvidencePacker(headers: HeaderTable(texts: [Array("h".utf8)]))
            let deflate = Deflate(dictionary: [])
            let bomb = try #require(deflate.deflated([UInt8](repeating: 0, count: 100_000_000)))
            var part: [UInt8] = [0, 0, 0, 0, 0, 0]
            part += withUnsafeBytes(of: UInt32(100_000_000).littleEndian) { Array($0) }
            part += [UInt8](repeating: 1, count: 64)
            var claims = part
            claims.replaceSubrange(6..<10, with: [0xFF, 0xFF, 0xFF, 0xFF])
            try `Damaged evidence`.limitMemory(to: 32 << 20)
            #expect(deflate.inflated(bomb, byteCount: 20_000, dictionary: []) == nil)
            #expect(packer.unpack(`Damaged evidence`.sealed([1, 1, 0] + part + bomb), byteCount: 20_000) == nil)
            #expect(packer.unpack(`Damaged evidence`.sealed([1, 1, 0] + claims + bomb), byteCount: 20_000) == nil)
            let many = [UInt8]([1, 1, 255]) + (0..<256).flatMap { _ in claims }
            #expect(packer.unpack(`Damaged evidence`.sealed(many + bomb), byteCount: 20_000) == nil)
        }
    }

    /// Limits the address space of the process to its current size and `bytes` more.
    static func limitMemory(to bytes: UInt) throws {
        let pages = try #require(UInt(fields(of: "/proc/self/statm").first ?? ""))
        var limit = rlimit(rlim_cur: pages * UInt(getpagesize()) + bytes, rlim_max: .max)
        try #require(setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0)
    }

    private static func fields(of path: String) throws -> [Substring] {
        let text = try #require(try AtomicFile.read(path, limit: 4_096))
        return String(decoding: text, as: UTF8.self).split(separator: " ")
    }

    /// The bytes followed by their CRC-32 (ISO 3309), computed bit by bit.
    static func sealed(_ bytes: [UInt8]) -> [UInt8] {
        var remainder = UInt32.max
        for byte in bytes {
            remainder ^= UInt32(byte)
            for _ in 0..<8 { remainder = remainder >> 1 ^ (remainder & 1 == 1 ? 0xEDB8_8320 : 0) }
        }
        return bytes + withUnsafeBytes(of: (~remainder).littleEndian) { Array($0) }
    }
}
