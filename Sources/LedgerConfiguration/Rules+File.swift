package import LedgerModel
import LedgerStorage
import Yams

extension Rules {
    /// Reads a rules file. Omitted members have their defaults.
    ///
    /// - Throws: `ConfigurationError` with line and column for text that is not YAML, for unknown keys and for bad
    ///   values; `InputFailure` when there is no such file.
    package init(file path: String) throws {
        try self.init(yaml: try YAMLValue.text(of: path), file: path)
    }

    /// - Parameter file: the name of the text in errors.
    package init(yaml: String, file: String) throws(ConfigurationError) {
        self.init()
        do throws(ConfigurationError) {
            try read(yaml, file)
        } catch {
            throw ConfigurationError(.rulesInvalid, error.place, error.diagnosis)
        }
    }

    private mutating func read(_ yaml: String, _ file: String) throws(ConfigurationError) {
        guard let node = try YAMLValue.parse(yaml, file) else { return }
        var members = try YAMLMapping(YAMLValue(node: node, name: "", file: file))
        _ = try members.take("version")?.integer(in: 1...1)
        _ = try members.take("name")?.text()
        if let member = members.take("access") { access = try Access(member) }
        if let member = members.take("customers") { customers = try Customers(member) }
        try members.finish()
    }
}

extension Rules.Access {
    private static let longestDays = 366
    private static let longestLeewayMinutes = 24 * 60

    fileprivate init(_ value: YAMLValue) throws(ConfigurationError) {
        self.init()
        var members = try YAMLMapping(value)
        if let days = try members.take("ownGraceDays")?.integer(in: 0...Self.longestDays) { ownGraceDays = days }
        if let days = try members.take("limitedAccessDays")?.integer(in: 0...Self.longestDays) {
            limitedAccessDays = days
        }
        if let minutes = try members.take("renewalLeewayMinutes")?.integer(in: 0...Self.longestLeewayMinutes) {
            renewalLeewayMinutes = minutes
        }
        if let choice = try members.take("proratedRefund")?.one(of: ProratedRefund.self) { proratedRefund = choice }
        try members.finish()
    }
}

extension Rules.Customers {
    fileprivate init(_ value: YAMLValue) throws(ConfigurationError) {
        self.init()
        var members = try YAMLMapping(value)
        if let choice = try members.take("claimConflict")?.one(of: ClaimConflict.self) { claimConflict = choice }
        try members.finish()
    }
}
