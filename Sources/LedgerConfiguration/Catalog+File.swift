package import LedgerModel
import Primitives

extension Catalog {
    /// The version of the file format.
    private static let version = 1

    /// Reads the text of a catalogue file.
    ///
    /// - Parameter file: the name of the text in errors.
    /// - Throws: `catalog_invalid` with line and column, for unknown keys and bad values, for ids that occur twice or
    ///   that the file does not define, and for members that the type of a product does not have.
    package init(yaml: String, file: String) throws(ConfigurationError) {
        do throws(ConfigurationError) {
            guard let node = try YAMLValue.parse(yaml, file) else {
                throw ConfigurationError(
                    file, "the catalogue is empty", expected: "version and bundleId", found: "nothing")
            }
            try self.init(YAMLValue(node: node, name: "", file: file))
        } catch {
            throw ConfigurationError(.catalogInvalid, error.place, error.diagnosis)
        }
    }

    private init(_ root: YAMLValue) throws(ConfigurationError) {
        var members = try YAMLMapping(root)
        _ = try members.require("version").integer(in: Self.version...Self.version)
        self.init(bundleId: try members.require("bundleId").symbol())
        var ids = UniqueIDs()
        for element in try members.take("groups")?.elements() ?? [] { groups.append(try Group(element, &ids)) }
        ids = UniqueIDs()
        for element in try members.take("products")?.elements() ?? [] {
            products.append(try CatalogProduct(element, groups: Set(groups.map(\.id)), &ids))
        }
        // Read after the products, so that a trial may precede the product that it unlocks.
        try ids.requireReferences()
        paidUntil = try members.take("paidUntil").map { value throws(ConfigurationError) in try PaidUntil(value) }
        try members.finish()
    }
}

/// The ids of one list of a file, and the references to them.
struct UniqueIDs {
    private var ids: Set<String> = []
    private var references: [YAMLValue] = []

    /// - Throws: `ConfigurationError` when the list already has the id.
    mutating func add(_ id: YAMLValue) throws(ConfigurationError) {
        guard ids.insert(try id.text()).inserted else { throw id.unexpected("a unique id") }
    }

    mutating func refer(to id: YAMLValue) { references.append(id) }

    /// - Throws: `ConfigurationError` when a referenced id is not in the list.
    func requireReferences() throws(ConfigurationError) {
        for reference in references where !ids.contains(try reference.text()) {
            throw reference.unexpected("the id of a product of this file")
        }
    }
}

extension Catalog.Group {
    fileprivate init(_ value: YAMLValue, _ ids: inout UniqueIDs) throws(ConfigurationError) {
        var members = try YAMLMapping(value)
        let id = try members.require("id")
        try ids.add(id)
        self.init(
            id: try id.symbol(),
            name: try members.take("name").map { value throws(ConfigurationError) in try value.text() })
        try members.finish()
    }
}

extension Catalog.PaidUntil {
    fileprivate init(_ value: YAMLValue) throws(ConfigurationError) {
        var members = try YAMLMapping(value)
        self.init(
            version: try members.take("version").map { value throws(ConfigurationError) in try value.appVersion() },
            date: try members.take("date").map { value throws(ConfigurationError) in try value.instant() },
            entitlements: try members.require("entitlements").symbols())
        try members.finish()
        guard version != nil || date != nil else { throw value.unexpected("a version or a date") }
    }
}

extension YAMLValue {
    func symbol() throws(ConfigurationError) -> Symbol { Symbol(try text()) }

    /// Reads a list of different texts.
    func symbols() throws(ConfigurationError) -> [Symbol] {
        var symbols: [Symbol] = []
        for element in try elements() {
            let symbol = try element.symbol()
            guard !symbols.contains(symbol) else { throw element.unexpected("each name once") }
            symbols.append(symbol)
        }
        return symbols
    }

    func period() throws(ConfigurationError) -> CalendarPeriod {
        guard let period = CalendarPeriod(try text()) else { throw unexpected(CalendarPeriod.form) }
        return period
    }

    func instant() throws(ConfigurationError) -> Instant {
        guard let instant = Instant(iso8601: try text()) else {
            throw unexpected("a date, or an ISO 8601 date and time with a zone")
        }
        return instant
    }

    /// Reads an app version: numbers joined by periods.
    fileprivate func appVersion() throws(ConfigurationError) -> String {
        let version = try text()
        let components = version.split(separator: ".", omittingEmptySubsequences: false)
        guard
            components.allSatisfy({ component in
                (1...9).contains(component.utf8.count) && component.utf8.allSatisfy { (48...57).contains($0) }
            })
        else { throw unexpected("a version of numbers joined by periods, in quotation marks, such as \"3.0\"") }
        return version
    }
}
