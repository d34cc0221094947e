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
        guard TimeZoneTable.isName(name), let bytes = try? InputFile.bytes(of: "\(folder)/\(name)", limit: byteLimit),
            bytes.count <= byteLimit, let table = TimeZoneTable(name: name, tzif: bytes)
        else { throw ZoneUnknown(name) }
        return table
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
