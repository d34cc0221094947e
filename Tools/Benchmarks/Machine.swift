import FoundationEssentials
import Glibc
import Primitives

/// The machine that runs the benchmarks.
struct Machine: Sendable, CustomStringConvertible {
    let processor: String
    let cores: Int
    let memoryBytes: Int
    let kernel: String

    static var this: Machine {
        var name = utsname()
        uname(&name)
        let kernel = withUnsafeBytes(of: &name.release) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        return Machine(
            processor: processorName ?? "unknown", cores: ProcessInfo.processInfo.activeProcessorCount,
            memoryBytes: Int(ProcessInfo.processInfo.physicalMemory), kernel: kernel)
    }

    private static var processorName: String? {
        guard let text = try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8) else { return nil }
        let line = text.split(separator: "\n").first { $0.hasPrefix("model name") }
        return line?.split(separator: ":").last.map { String($0.drop { $0 == " " }) }
    }

    var json: JSONValue {
        .object([
            "processor": .string(processor), "cores": JSONValue(cores), "memoryBytes": JSONValue(memoryBytes),
            "kernel": .string(kernel),
        ])
    }

    var description: String {
        "\(processor), \(cores) cores, \((Double(memoryBytes) / 1_073_741_824).short) GiB, Linux \(kernel)"
    }
}
