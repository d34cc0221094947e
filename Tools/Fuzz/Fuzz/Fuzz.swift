import CLibFuzzer
import FoundationEssentials

/// Runs libFuzzer on the verifier. The last argument is the corpus folder; the others are options of libFuzzer.
@main
struct Fuzz {
    private static let fuzz = VerificationFuzz()

    static func main() throws {
        guard let corpus = CommandLine.arguments.dropFirst().last else { return }
        try FileManager.default.createDirectory(atPath: corpus, withIntermediateDirectories: true)
        for (index, seed) in fuzz.seeds.enumerated() {
            try Data(seed).write(to: URL(filePath: "\(corpus)/seed-\(index)"))
        }
        var count = CommandLine.argc
        var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
        LLVMFuzzerRunDriver(&count, &arguments) { bytes, count in
            Fuzz.fuzz.test(UnsafeBufferPointer(start: bytes, count: count))
            return 0
        }
    }
}
