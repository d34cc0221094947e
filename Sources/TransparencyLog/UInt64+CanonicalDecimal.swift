extension UInt64 {
    /// Reads ASCII decimal digits in canonical form: no sign, no leading zero. Nil also when out of range.
    init?(canonicalDecimal text: some Sequence<UInt8>) {
        let text = Array(text)
        guard let value = UInt64(String(decoding: text, as: UTF8.self)), text.elementsEqual(String(value).utf8) else {
            return nil
        }
        self = value
    }
}
