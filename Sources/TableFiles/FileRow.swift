/// The way a row of an increment changes a loaded table.
package enum RowChange: String, Sendable {
    case insert, update
}

/// The rows of files: those of a table with the columns that every file adds at its end.
extension TableSchema {
    /// The columns of the table, then row_digest, op and restated.
    package var ofFiles: TableSchema {
        let tail = [
            TableColumn("row_digest", .int64), TableColumn("op", .text), TableColumn("restated", .boolean),
        ]
        return TableSchema(name: name, version: version, keyCount: keyCount, columns: columns + tail)
    }
}

extension TableRow {
    /// Appends row_digest, op and restated to the cells of the table.
    /// - Returns: the digest.
    @discardableResult
    package mutating func appendTail(_ change: RowChange, isRestated: Bool) -> Int64 {
        let digest = rowDigest
        append(integer: digest)
        append(text: change.rawValue)
        append(boolean: isRestated)
        return digest
    }
}

extension TableFileFormat {
    /// Rises with every change of the bytes that the writers write for the same rows.
    package static let writerVersion: Int64 = 1
}
