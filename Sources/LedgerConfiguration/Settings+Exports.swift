import AppStoreModel
import LedgerModel
import Primitives

extension Settings {
    /// An export on a schedule.
    package struct Export: Sendable {
        package enum Format: String, CaseIterable, Sendable {
            case parquet, csv, jsonl
        }

        /// A value whose meaning another module knows, with its place in the file.
        package struct Word: Sendable {
            package let text: String
            private let name: String
            private let place: String

            init(_ value: YAMLValue) throws(ConfigurationError) {
                (text, name, place) = (try value.text(), value.name, value.place)
            }

            /// - Parameter isSecret: whether the error must not have the text.
            package func unexpected(_ expected: String, isSecret: Bool = false) -> ConfigurationError {
                ConfigurationError(
                    place, "invalid value for \(name)", expected: expected, found: isSecret ? nil : text)
            }
        }

        package var name: String
        /// A folder, `s3://…` or `postgres://…`. A relative folder is in that of the file.
        package var to: Word
        /// The folder of the file, with a slash at its end; empty for the current one.
        package var folder = ""
        /// Empty for all.
        package var tables: [Word]
        /// Nil for that of the place.
        package var format: Format?
        package var schedule: DailySchedule
        package var environments: Set<String>
        /// Empty for all.
        package var bundleIds: Set<String>
        package var currency: String?

        /// The place as `subledger export --to` takes it.
        package var destination: String {
            to.text.contains("://") || to.text.hasPrefix("/") ? to.text : folder + to.text
        }
    }

    mutating func readExports(_ value: YAMLValue) throws(ConfigurationError) {
        for (index, element) in try value.elements().enumerated() {
            var members = try YAMLMapping(element)
            let name = members.take("name")
            let export = try Export(&members, name: try name.map(Self.exportName) ?? "export-\(index + 1)")
            try members.finish()
            guard !exports.contains(where: { $0.name == export.name }) else {
                throw (name ?? element).unexpected("a unique name")
            }
            exports.append(export)
        }
    }

    /// Reads a name, which is also that of a file and of a label of metrics.
    private static func exportName(_ value: YAMLValue) throws(ConfigurationError) -> String {
        let name = try value.text()
        guard name.wholeMatch(of: #/[a-z0-9][a-z0-9_-]{0,63}/#) != nil else {
            throw value.unexpected("a name of at most 64 lower-case letters, digits, - and _")
        }
        return name
    }
}

extension Settings.Export {
    fileprivate init(_ members: inout YAMLMapping, name: String) throws(ConfigurationError) {
        self.name = name
        to = try Word(try members.require("to"))
        tables = []
        for table in try members.take("tables")?.elements() ?? [] { tables.append(try Word(table)) }
        let format = members.take("as")
        self.format = try format.map { value throws(ConfigurationError) in try value.one(of: Format.self) }
        if let format, to.text.hasPrefix("postgres"), self.format != .csv {
            throw format.unexpected("csv, or nothing, for a database")
        }
        schedule = try Self.schedule(try members.require("dailyAt"), zone: members.take("zone"))
        environments = ["Production"]
        if let value = members.take("environments") { environments = try Self.environments(value) }
        bundleIds = []
        for id in try members.take("bundleIds")?.elements() ?? [] { bundleIds.insert(try id.text()) }
        currency = try members.take("currency").map(Self.currency)
    }

    private static func schedule(_ time: YAMLValue, zone: YAMLValue?) throws(ConfigurationError) -> DailySchedule {
        var table = TimeZoneTable.utc
        if let zone {
            do {
                table = try TimeZoneDatabase.table(named: try zone.text())
            } catch let error as ConfigurationError {
                throw error
            } catch {
                throw zone.unexpected("a time zone, such as America/Los_Angeles")
            }
        }
        guard let schedule = DailySchedule(try time.text(), zone: table) else {
            throw time.unexpected("a time such as \"03:00\"")
        }
        return schedule
    }

    private static func environments(_ value: YAMLValue) throws(ConfigurationError) -> Set<String> {
        var environments: Set<String> = []
        for element in try value.elements() {
            environments.insert(try element.one(of: Environment.known.map(\.rawValue)))
        }
        guard !environments.isEmpty else { throw value.unexpected("at least one environment") }
        return environments
    }

    private static func currency(_ value: YAMLValue) throws(ConfigurationError) -> String {
        let currency = try value.text()
        guard Symbol(currency).isCurrencyCode else { throw value.unexpected("a code of ISO 4217 in capital letters") }
        return currency
    }
}
