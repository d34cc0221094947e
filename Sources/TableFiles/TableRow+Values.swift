package import Primitives

/// Values that are numbers. Nil appends null.
extension TableRow {
    /// Appends to a column of `int64` or `int32`. What `int32` cannot hold becomes null.
    package mutating func append(integer value: Int64?) {
        let type = nextType
        precondition(type == .int64 || type == .int32, "the column has no integers")
        let fits = value.map { type == .int64 || Int32(exactly: $0) != nil } ?? true
        append(number: value, if: fits)
    }

    package mutating func append(boolean value: Bool?) {
        precondition(nextType == .boolean, "the column has no booleans")
        append(number: value.map { $0 ? 1 : 0 })
    }

    /// Appends an instant. One outside the years 0000 to 9999 becomes the first or last of them.
    package mutating func append(instant value: Instant?) {
        precondition(nextType == .instant, "the column has no instants")
        append(number: value?.milliseconds, within: Instant.earliest.milliseconds...Instant.latest.milliseconds)
    }

    /// Appends a date, clamped like an instant.
    package mutating func append(daysSinceEpoch value: Int64?) {
        precondition(nextType == .date, "the column has no dates")
        append(number: value, within: Self.days)
    }

    /// Appends an amount in thousandths. An amount from ±10^15 becomes null.
    package mutating func append(milliunits value: Int64?) {
        precondition(nextType == .money, "the column has no money")
        append(number: value, if: value.map { $0.magnitude < Self.decimalLimit } ?? true)
    }

    /// Appends a rate in units of 10^-9. A rate from ±10^9 becomes null.
    package mutating func append(nanounits value: Int64?) {
        precondition(nextType == .rate, "the column has no rates")
        append(number: value, if: value.map { $0.magnitude < Self.decimalLimit } ?? true)
    }

    /// Decimals have 18 digits.
    private static let decimalLimit: UInt64 = 1_000_000_000_000_000_000
    private static let days =
        Instant.earliest.milliseconds / Instant.millisecondsPerDay...Instant.latest.milliseconds
        / Instant.millisecondsPerDay

    private mutating func append(number value: Int64?, within range: ClosedRange<Int64>) {
        let clamped = value.map { min(max($0, range.lowerBound), range.upperBound) }
        if clamped != value { lossy += 1 }
        append(number: clamped)
    }

    private mutating func append(number value: Int64?, if fits: Bool) {
        if !fits { lossy += 1 }
        append(number: fits ? value : nil)
    }

    mutating func append(number value: Int64?) {
        guard let value else { return appendNull() }
        let type = nextType
        openCell()
        switch type {
        case .boolean: bytes.append(contentsOf: (value == 0 ? "false" : "true").utf8)
        case .instant: bytes.append(instant: Instant(milliseconds: value))
        case .date: bytes.append(day: value)
        case .money: bytes.append(decimal: value, fractionDigits: 3)
        case .rate: bytes.append(decimal: value, fractionDigits: 9)
        case .int64, .int32, .text, .json, .hex: bytes.append(decimal: value)
        }
        closeCell(value: value)
    }
}

/// Values that are texts. Nil appends null.
extension TableRow {
    /// Appends a text. An empty one is null.
    package mutating func append(text: String?) {
        precondition(nextType == .text, "the column has no texts")
        guard var text else { return appendNull() }
        text.withUTF8 { append(text: $0, isUTF8: true) }
    }

    /// Appends a text that may be invalid UTF-8. An empty one is null.
    package mutating func append(utf8 text: UnsafeBufferPointer<UInt8>) {
        precondition(nextType == .text, "the column has no texts")
        append(text: text, isUTF8: false)
    }

    private mutating func append(text: UnsafeBufferPointer<UInt8>, isUTF8: Bool) {
        if let clean = CleanText.cleaned(text, isUTF8: isUTF8) {
            lossy += 1
            clean.withUnsafeBufferPointer { append(clean: $0) }
        } else {
            append(clean: text)
        }
    }

    private mutating func append(clean text: UnsafeBufferPointer<UInt8>) {
        guard text.count > Self.longestIdentifier, cells[count].isIdentifier else { return append(verbatim: text) }
        lossy += 1
        openCell()
        bytes.append(contentsOf: "sha256:".utf8)
        bytes.append(contentsOf: Digest.sha256(of: text).hex.utf8)
        closeCell()
    }

    /// The longest identifier in bytes that is kept as it is.
    private static let longestIdentifier = 512

    /// Appends a JSON text, which must be in the form of RFC 8785.
    package mutating func append(json text: [UInt8]?) {
        precondition(nextType == .json, "the column has no JSON")
        guard let text else { return appendNull() }
        let clean = CleanText.cleaned(json: text)
        if clean != nil { lossy += 1 }
        (clean ?? text).withUnsafeBufferPointer { append(verbatim: $0) }
    }

    /// Appends bytes as hexadecimal digits. None are null.
    package mutating func append(hex value: [UInt8]?) {
        (value ?? []).withUnsafeBytes { append(hex: $0) }
    }

    /// Appends bytes as hexadecimal digits. None are null.
    package mutating func append(hex value: UnsafeRawBufferPointer) {
        precondition(nextType == .hex, "the column has no hexadecimal digits")
        if value.isEmpty { return appendNull() }
        openCell()
        for byte in value {
            bytes.append(Self.digits[Int(byte >> 4)])
            bytes.append(Self.digits[Int(byte & 15)])
        }
        closeCell()
    }

    private static let digits = Array("0123456789abcdef".utf8)

    mutating func append(verbatim text: UnsafeBufferPointer<UInt8>) {
        if text.isEmpty { return appendNull() }
        openCell()
        bytes.append(contentsOf: text)
        closeCell()
    }
}
