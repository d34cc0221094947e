/// The arguments of the process. `CommandLine` reads them from /proc, which an empty chroot does not have.
enum ProcessArguments {
    typealias Pointers = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>

    /// Written once, by `keepArguments`, before the first statement of the program.
    nonisolated(unsafe) fileprivate static var pointers: Pointers?

    static var all: [String] {
        var all: [String] = []
        // The list ends with null, and lives as long as the process.
        while let pointer = pointers?[all.count] { all.append(String(cString: pointer)) }
        return all
    }
}

@c private func keepArguments(_ count: Int32, _ values: ProcessArguments.Pointers?) {
    ProcessArguments.pointers = values
}

/// glibc calls the functions in this section with the arguments of `main`.
@section(".init_array") @used
private let initializer: @convention(c) (Int32, ProcessArguments.Pointers?) -> Void = keepArguments

/// The path of the program that prints backtraces; none. In a static executable, Swift asks /proc for it before the first
/// statement of the program, and ends the process where there is no /proc, so the linker replaces the function
/// (`--wrap`).
@c(__wrap_swift_copyAuxiliaryExecutablePath)
public func copyAuxiliaryExecutablePath(_ name: UnsafePointer<CChar>?) -> UnsafeMutablePointer<CChar>? { nil }
