/// The type of the values of a column.
package enum ColumnType: BitwiseCopyable, CaseIterable, Sendable {
    case text
    case int64
    case int32
    case boolean
    /// Milliseconds since 1970-01-01T00:00:00Z, in the years 0000 to 9999.
    case instant
    /// Days since 1970-01-01, in the same years.
    case date
    /// `decimal(18, 3)`, in thousandths of the currency that another column names.
    case money
    /// `decimal(18, 9)`
    case rate
    /// A JSON text of RFC 8785.
    case json
    /// Bytes as lower-case hexadecimal digits.
    case hex
}

extension ColumnType {
    /// The digits after the decimal point; nil for types other than decimals.
    var fractionDigits: Int? {
        switch self {
        case .money: 3
        case .rate: 9
        default: nil
        }
    }

    /// Whether values are texts rather than numbers.
    var isText: Bool {
        switch self {
        case .text, .json, .hex: true
        case .int64, .int32, .boolean, .instant, .date, .money, .rate: false
        }
    }
}
