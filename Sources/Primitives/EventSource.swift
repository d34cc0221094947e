/// The channel through which an event arrived.
package enum EventSource: UInt8, CaseIterable, Sendable {
    case http = 1, file, poll, reconcile, `operator`, `import`

    package var name: String {
        switch self {
        case .http: "http"
        case .file: "file"
        case .poll: "poll"
        case .reconcile: "reconcile"
        case .operator: "operator"
        case .import: "import"
        }
    }

    package init?(name: String) {
        guard let source = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = source
    }
}
