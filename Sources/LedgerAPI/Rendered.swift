package import Primitives

/// A row with its JSON text, rendered once for all answers that contain it.
@dynamicMemberLookup
package struct Rendered<Row: JSONRepresentable>: JSONRepresentable {
    package let row: Row
    package let json: JSONValue

    package init(_ row: Row) {
        self.row = row
        var bytes: [UInt8] = []
        bytes.reserveCapacity(2_048)
        row.json.write(to: &bytes, canonical: false)
        json = .verbatim(bytes)
    }

    package subscript<Member>(dynamicMember member: KeyPath<Row, Member>) -> Member { row[keyPath: member] }
}
