import AppStoreVerification
import Primitives
import SubscriptionLedger

/// Prints refused artifacts, progress and totals.
final class IngestReport {
    private let format: OutputFormat
    private let showsProgress: Bool
    private var appended = 0
    private var duplicates = 0
    private(set) var refused = 0
    private var bytes = 0
    private let isQuiet: Bool
    private let isLinking: Bool
    /// The number of accepted artifacts without a transaction.
    private var unlinkable = 0

    /// - Parameter linking: whether transactions are ingested for a customer.
    init(_ output: OutputOptions, linking: Bool) {
        format = output.effectiveFormat
        showsProgress = output.showsProgress
        isQuiet = output.quiet
        isLinking = linking
    }

    func add(_ results: [IngestPipeline.Result]) {
        guard !results.isEmpty else { return }
        for result in results {
            bytes += result.byteCount
            switch result.outcome {
            case .appended(let appended):
                // A re-signed retry is appended, so it is not counted as a duplicate here.
                if appended.isAppended { self.appended += 1 } else { duplicates += 1 }
                if isLinking, !result.isLinkable { unlinkable += 1 }
            case .refused(let refusal, let quarantined):
                refused += 1
                line(result, refusal, quarantined ? .quarantine : nil)
            case .kept(let refusal):
                refused += 1
                line(result, refusal, .log)
            }
            if let refusal = result.linkRefusal {
                refused += 1
                line(result, refusal, nil)
            }
        }
        if showsProgress {
            Terminal.standardError.write("\r\(appended) appended, \(duplicates) duplicates, \(refused) refused ")
        }
    }

    /// The place where a refused artifact remains.
    private enum Place: String {
        case quarantine = "quarantined"
        case log = "kept: Apple is asked about it"
    }

    private func line(_ result: IngestPipeline.Result, _ refusal: Refusal, _ place: Place?) {
        let (file, kind) = (result.file, result.kind)
        switch format {
        case .json:
            let line = VerifyReport.json(
                file, kind, refusal,
                and: [
                    .init("quarantined", .bool(place == .quarantine)), .init("kept", .bool(place == .log)),
                ])
            Terminal.standardOutput.write(line.serialized() + "\n")
        case .table:
            let text = VerifyReport.text(file, kind, refusal)
            Terminal.standardOutput.write(text + (place.map { " [\($0.rawValue)]\n" } ?? "\n"))
        }
    }

    func finish(seconds: Double) {
        if showsProgress { Terminal.standardError.write("\r\u{1B}[K") }
        if unlinkable > 0, !isQuiet {
            Terminal.standardError.write(
                "note[links_nothing]: \(unlinkable) accepted artifacts contain no transaction to link.\n")
        }
        switch format {
        case .json:
            let sums = JSONValue.object([
                "appended": .integer(Int64(appended)), "duplicates": .integer(Int64(duplicates)),
                "refused": .integer(Int64(refused)), "bytes": .integer(Int64(bytes)), "seconds": .double(seconds),
            ])
            Terminal.standardOutput.write(sums.serialized() + "\n")
        case .table:
            Terminal.standardOutput.write(
                "\(appended) appended, \(duplicates) duplicates, \(refused) refused; \(bytes) bytes in \(seconds) s\n")
        }
    }
}
