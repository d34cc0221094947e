import Glibc

extension DataFolder {
    /// What the disk under the folder has left for its owner, in bytes.
    package func freeDiskBytes() throws(EventLogError) -> Int {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { throw EventLogError(system: "\(path) cannot be examined") }
        let (bytes, overflow) = Int(clamping: status.f_bavail)
            .multipliedReportingOverflow(by: Int(clamping: status.f_frsize))
        return overflow ? .max : bytes
    }
}
