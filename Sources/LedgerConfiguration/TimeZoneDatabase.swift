import LedgerStorage
package import Primitives

/// The time zones of this machine: the compiled tz database.
package enum TimeZoneDatabase {
    private static let folder = "/usr/share/zoneinfo"
    private static let byteLimit = 1 << 18

    /// Reads the table of a time zone.
    /// - Throws: `ZoneUnknown`.
    package static func table(named name: String) throws(ZoneUnknown) -> TimeZoneTable {
        if name == TimeZoneTable.utc.name { return .utc }
        let bytes = try compiledTable(named: name)
        guard let table = TimeZoneTable(name: name, tzif: bytes) else { throw ZoneUnknown(name) }
        return table
    }

    /// Reads the file of a time zone, from which `TimeZoneTable` is made.
    /// - Throws: `ZoneUnknown`.
    package static func compiledTable(named name: String) throws(ZoneUnknown) -> [UInt8] {
        guard TimeZoneTable.isName(name), let bytes = try? InputFile.bytes(of: "\(folder)/\(name)", limit: byteLimit),
            bytes.count <= byteLimit
        else { throw ZoneUnknown(name) }
        return bytes
    }
}

/// The refusal of a time zone that this machine does not know.
package struct ZoneUnknown: DiagnosedError, Hashable, Sendable {
    package let diagnosis: Diagnosis

    init(_ name: String) {
        diagnosis = Diagnosis(
            "zone_unknown", "unknown time zone", expected: "a name in the tz database, such as America/Los_Angeles",
            found: name, hint: "The zones are the files in /usr/share/zoneinfo, from the Debian package tzdata.")
    }
}
