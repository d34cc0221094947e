import FoundationEssentials
import Primitives

/// The date of an HTTP message, RFC 9110 §5.6.7: `Sun, 06 Nov 1994 08:49:37 GMT`.
enum HTTPDate {
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Returns nil for any other form; the two obsolete ones of the RFC are not sent any more.
    static func date(_ text: String) -> Date? {
        let parts = text.split(separator: " ")
        guard parts.count == 6, parts[5] == "GMT", let day = Int64(parts[1]), let year = Int64(parts[3]),
            let month = months.firstIndex(of: String(parts[2])),
            let civil = CivilDate(year: year, month: Int64(month) + 1, day: day)
        else { return nil }
        let time = parts[4].split(separator: ":").map { Int64($0) }
        guard time.count == 3, let hours = time[0], let minutes = time[1], let seconds = time[2],
            (0..<24).contains(hours), (0..<60).contains(minutes), (0...60).contains(seconds)
        else { return nil }
        let sum = civil.daysSinceEpoch * 86_400 + hours * 3_600 + minutes * 60 + seconds
        return Date(timeIntervalSince1970: Double(sum))
    }
}
