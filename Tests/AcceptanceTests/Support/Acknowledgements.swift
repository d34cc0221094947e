import Primitives
import Testing

/// The events that a ledger has acknowledged to the clients of `crash-writer`, read from its output lines.
struct Acknowledgements {
    /// An event identified by its client's own numbering.
    struct Event: Hashable {
        let client: Int
        let call: Int
        let index: Int
    }

    static let clients = 32

    /// The position of each event.
    private(set) var positions: [Event: UInt64] = [:]
    /// The SHA-256 of the evidence at each position.
    private(set) var digests: [UInt64: Digest] = [:]
    /// The number of refusals per error code.
    private(set) var refusals: [String: Int] = [:]
    private var lastCalls = [Int](repeating: 0, count: clients)

    /// The call from which each client resumes: the last answered one, repeated, because the answer to the next may
    /// have been lost.
    var resume: String { lastCalls.map(String.init).joined(separator: ",") }

    /// - Returns: the positions that the line reports.
    @discardableResult
    mutating func add(_ line: String) throws -> [UInt64] {
        var words = line.split(separator: " ")[...]
        switch words.popFirst() {
        case "!":
            refusals[String(try #require(words.first)), default: 0] += 1
            return []
        case "+":
            let client = try #require(words.popFirst().flatMap { Int($0) })
            let call = try #require(words.popFirst().flatMap { Int($0) })
            lastCalls[client] = call
            return try words.enumerated().map { index, word in
                let event = Event(client: client, call: call, index: index)
                return try add(event, words: word.split(separator: ":"))
            }
        default:
            return []
        }
    }

    private mutating func add(_ event: Event, words: [Substring]) throws -> UInt64 {
        try #require(words.count == 2)
        let position = try #require(UInt64(words[0]))
        let digest = try #require(Digest(hex: String(words[1])))
        let known = positions.updateValue(position, forKey: event)
        try #require(known == nil || known == position, "\(event) was answered with \(known ?? 0) and \(position)")
        if known == nil {
            let other = digests.updateValue(digest, forKey: position)
            try #require(other == nil, "\(event) was answered with \(position), as another event was before")
        }
        return position
    }
}
