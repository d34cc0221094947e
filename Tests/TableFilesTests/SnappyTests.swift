import LedgerTesting
import Primitives
import TableFiles
import Testing

@Suite struct `Snappy blocks` {
    private func compressed(_ input: [UInt8], _ encoder: inout SnappyEncoder) -> [UInt8] {
        var output: [UInt8] = []
        input.withUnsafeBytes { encoder.compress($0, to: &output) }
        return output
    }

    /// Returns bytes that are random, or that repeat parts of themselves at all distances.
    private func input(_ random: inout SeededRandom) -> [UInt8] {
        let size = Int.random(in: 0..<random.pick([8, 70, 300, 5_000, 70_000]), using: &random)
        var bytes: [UInt8] = []
        while bytes.count < size {
            let length = Int.random(in: 1...random.pick([3, 10, 66, 70, 300]), using: &random)
            if bytes.isEmpty || random.chance(30) {
                bytes += random.bytes(length)
            } else {
                let start = Int.random(in: bytes.indices, using: &random)
                for offset in 0..<length { bytes.append(bytes[start + offset]) }
            }
        }
        return bytes
    }

    @Test func `are read by Arrow`() throws {
        var inputs: [[UInt8]] = [
            [], [7], Array(repeating: 0, count: 1 << 20),
            Array(repeating: [1, 2, 3, 4, 5], count: 30_000).flatMap { $0 },
        ]
        for seed in 0..<1_000 {
            var random = SeededRandom(seed: SeededRandom.seed &+ UInt64(seed))
            inputs.append(seed % 10 == 0 ? random.bytes(Int.random(in: 0..<3_000, using: &random)) : input(&random))
        }
        // Literals at the limits of their lengths' sizes.
        var random = SeededRandom()
        for size in [59, 60, 61, 255, 256, 257, 65_535, 65_536, 65_537] { inputs.append(random.bytes(size)) }
        var (blocks, encoder) = ([UInt8](), SnappyEncoder())
        for input in inputs {
            for bytes in [input, compressed(input, &encoder)] {
                blocks.appendLittleEndian(UInt32(bytes.count))
                blocks += bytes
            }
        }
        let folder = try TemporaryFolder()
        try folder.write(blocks, to: "blocks")
        print("Snappy, seeds from \(SeededRandom.seed):", try Python.run("snappy.py", ["blocks"], in: folder))
    }

    @Test func `do not depend on earlier ones`() {
        var (random, used) = (SeededRandom(), SnappyEncoder())
        for _ in 0..<20 {
            let input = input(&random)
            var fresh = SnappyEncoder()
            #expect(compressed(input, &used) == compressed(input, &fresh))
        }
    }

    @Test func `of repetitive bytes are short`() {
        var encoder = SnappyEncoder()
        #expect(compressed(Array(repeating: 9, count: 64_000), &encoder).count < 3_100)
        #expect(compressed([], &encoder) == [0])
        #expect(compressed([1, 2, 3], &encoder) == [3, 2 << 2, 1, 2, 3])
        #expect(compressed([5, 5, 5, 5, 5, 5, 5, 5], &encoder) == [8, 0, 5, 1 | (7 - 4) << 2, 1])
    }
}
