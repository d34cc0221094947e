import Glibc

extension DataFolder {
    /// Returns the number of bytes on the folder's disk that are available to its owner.
    package func freeDiskBytes() throws(StorageError) -> Int {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { throw StorageError(system: "\(path) cannot be examined") }
        let (bytes, overflow) = Int(clamping: status.f_bavail)
            .multipliedReportingOverflow(by: Int(clamping: status.f_frsize))
        return overflow ? .max : bytes
    }
}
