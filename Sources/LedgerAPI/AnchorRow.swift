package import Primitives

/// A checkpoint with its time stamp by an independent authority.
package struct AnchorRow: Hashable, Sendable {
    package enum State: String, Sendable {
        /// Requested, but no response is stored.
        case pending
        case verified
        /// The stored response cannot be verified.
        case invalid
    }

    /// The number of events.
    package let size: UInt64
    /// The root of their tree.
    package let root: Digest
    /// The time stamped; nil unless it is verified.
    package var genTime: Instant?
    /// The subject of the authority's certificate.
    package var authority: String?
    /// The number of the time stamp, in hexadecimal digits.
    package var serialNumber: String?
    /// The reason that the time stamp cannot be verified.
    package var problem: String?

    package init(size: UInt64, root: Digest, problem: String? = nil) {
        self.size = size
        self.root = root
        self.problem = problem
    }

    package var state: State { problem != nil ? .invalid : genTime != nil ? .verified : .pending }
}

extension AnchorRow: JSONRepresentable {
    package var json: JSONValue {
        .object([
            "size": JSONValue(position: size), "root": .string(root.hex), "state": .string(state.rawValue),
            "genTime": genTime.map { JSONValue($0) } ?? .null, "tsa": JSONValue(authority),
            "serialNumber": JSONValue(serialNumber), "problem": JSONValue(problem),
        ])
    }
}
