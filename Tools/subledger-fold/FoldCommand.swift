import FactSegments
import Glibc
import Primitives

/// Folds a stream of frames from the standard input to the standard output.
enum FoldCommand {
    private static let help = """
        OVERVIEW: Fold exported facts into the rows and sums of tables.

        Reads a segment of `subledger export facts` from the standard input, and writes a row for each subject and the \
        parts of sums. Parts that were added by key are read in place of a segment; the rows of sums are then written. \
        It needs no ledger, no other file and no library. Tools/spark/fold.py runs it on a cluster.

        USAGE: subledger-fold INPUTS < SEGMENT > ROWS

        ARGUMENTS:
          INPUTS                  The file inputs.json of the export.

        OPTIONS:
          -h, --help              Show help information.

        EXIT STATUS: 0 done, 1 refused, 2 usage, 3 input or output failed.

        EXAMPLES:
          subledger-fold facts/e-000000001200-1767225600000-0a1b2c3d/inputs.json < part-00000.segment > rows

        """

    private static let chunk = 1 << 20
    /// The limit for the inputs, in bytes: exchange rates of many years.
    private static let inputsLimit = 256 << 20

    /// Returns the exit status.
    static func run(_ arguments: some Collection<String>) -> Int32 {
        guard let path = arguments.first, arguments.count == 1 else {
            return fail(usage(arguments.joined(separator: " ")), 2)
        }
        do {
            guard !["-h", "--help"].contains(path) else {
                try write(Array(help.utf8))
                return 0
            }
            try fold(try read(path))
            return 0
        } catch let error as SegmentError {
            return fail(error.diagnosis, 1)
        } catch let error as any DiagnosedError {
            return fail(error.diagnosis, 3)
        } catch {
            return fail(Diagnosis("io_error", "\(error)"), 3)
        }
    }

    private static func usage(_ found: String) -> Diagnosis {
        Diagnosis(
            "usage", "wrong arguments", expected: "the path of inputs.json", found: found.isEmpty ? "none" : found,
            hint: "See `subledger-fold --help`.")
    }

    private static func fail(_ diagnosis: Diagnosis, _ status: Int32) -> Int32 {
        try? write(Array("error[\(diagnosis.code)]: \(diagnosis.sentences)\n".utf8), to: STDERR_FILENO)
        return status
    }

    private static func fold(_ inputs: [UInt8]) throws {
        var fold = try SegmentFold(inputs: inputs) { try write($0) }
        var reader = FrameReader()
        while let piece = try read(STDIN_FILENO) {
            reader.append(piece)
            while let frame = try reader.read() { try fold.add(frame) }
        }
        try reader.finish()
        try fold.finish()
    }

    private static func read(_ path: String) throws -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemError("\(path) cannot be opened") }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        while let piece = try read(descriptor) {
            bytes += piece
            guard bytes.count <= inputsLimit else {
                throw SegmentError(
                    .inputsInvalid, "the inputs are too large", expected: "at most \(inputsLimit) bytes", found: "more")
            }
        }
        return bytes
    }

    /// Returns the next bytes; nil at the end.
    private static func read(_ descriptor: Int32) throws -> [UInt8]? {
        while true {
            var count = 0
            let bytes = [UInt8](unsafeUninitializedCapacity: chunk) { buffer, initialized in
                // The buffer has room for the chunk, and `read` writes no more bytes than it returns.
                count = Glibc.read(descriptor, buffer.baseAddress, chunk)
                initialized = max(count, 0)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw SystemError("the input cannot be read") }
            return count == 0 ? nil : bytes
        }
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32 = STDOUT_FILENO) throws {
        var offset = 0
        while offset < bytes.count {
            // The buffer has `bytes.count` bytes.
            let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress! + offset, $0.count - offset) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw SystemError("the output cannot be written") }
            offset += count
        }
    }
}

/// The failure of a system call.
private struct SystemError: DiagnosedError {
    let diagnosis: Diagnosis

    init(_ message: String) {
        diagnosis = Diagnosis("io_error", message, found: String(cString: strerror(errno)))
    }
}
