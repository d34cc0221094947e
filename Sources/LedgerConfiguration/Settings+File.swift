import AppStoreModel
import LedgerStorage
import Primitives
import TransparencyLog

extension Settings {
    /// Reads a configuration file. Paths in it are relative to its folder.
    ///
    /// - Throws: `ConfigurationError` with line and column for text that is not YAML, for unknown keys and for bad
    ///   values; `InputFailure` when there is no such file.
    package init(file path: String) throws {
        try self.init(yaml: try YAMLValue.text(of: path), file: path)
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
        data = Self.path(data, in: folder)
        trustRoots = trustRoots.map { Self.path($0, in: folder) }
        for index in apps.indices {
            guard let access = apps[index].serverAPI else { continue }
            apps[index].serverAPI?.keyFile = Self.path(access.keyFile, in: folder)
        }
        for index in exports.indices { exports[index].folder = folder }
        for index in customerTokens.indices {
            customerTokens[index].publicKeyFile = Self.path(customerTokens[index].publicKeyFile, in: folder)
        }
    }

    private static func path(_ path: String, in folder: String) -> String {
        path.hasPrefix("/") ? path : folder + path
    }

    /// - Parameter file: the name of the text in errors.
    package init(yaml: String, file: String) throws(ConfigurationError) {
        self.init()
        guard let node = try YAMLValue.parse(yaml, file) else { return }
        var members = try YAMLMapping(YAMLValue(node: node, name: "", file: file))
        if let member = members.take("data") { data = try member.text() }
        if let member = members.take("http") { http = try HTTP(member) }
        if let member = members.take("log") { log = try Log(member) }
        if let member = members.take("trust") { trustRoots = try Self.roots(member) }
        if let member = members.take("apps") { try readApps(member) }
        if let member = members.take("apiKeys") { apiKeys = try Self.apiKeys(member) }
        if let member = members.take("customerTokens") { customerTokens = try Self.customerTokens(member) }
        if let member = members.take("polling") { try readPolling(member) }
        if let member = members.take("consumption") { try readConsumption(member) }
        if let member = members.take("exports") { try readExports(member) }
        if let member = members.take("logging") { logging = try Logging(member) }
        try members.finish()
    }

    private static func roots(_ value: YAMLValue) throws(ConfigurationError) -> [String] {
        var members = try YAMLMapping(value)
        var roots: [String] = []
        for root in try members.take("roots")?.elements() ?? [] { roots.append(try root.text()) }
        try members.finish()
        return roots
    }
}

extension Settings.HTTP {
    fileprivate init(_ value: YAMLValue) throws(ConfigurationError) {
        var members = try YAMLMapping(value)
        if let member = members.take("host") { host = try member.text() }
        if let member = members.take("port") { port = try member.integer(in: 0...65_535) }
        if let member = members.take("publicTiles") { publicTiles = try member.flag() }
        if let member = members.take("metricsKey") { metricsKey = try member.flag() }
        try members.finish()
    }
}

extension Settings.Log {
    /// From the minimum for LMDB's own pages to the address space of a 64-bit process.
    private static let mapSizes = 1 << 20...1 << 46

    fileprivate init(_ value: YAMLValue) throws(ConfigurationError) {
        var members = try YAMLMapping(value)
        if let member = members.take("mapSizeBytes") { mapSizeBytes = try Self.mapSize(member) }
        if let member = members.take("origin") { origin = try Self.origin(member) }
        if let member = members.take("groupCommitEvents") { groupCommitEvents = try member.integer(in: 1...8_192) }
        if let member = members.take("quarantineItems") { quarantineItems = try member.integer(in: 0...1_000_000) }
        if let member = members.take("quarantineBytes") { quarantineBytes = try member.integer(in: 0...1 << 40) }
        try members.finish()
    }

    /// Whether the size is within the limits and, as LMDB requires, a whole number of pages.
    package static func isMapSize(_ bytes: Int) -> Bool {
        mapSizes.contains(bytes) && bytes.isMultiple(of: 4_096)
    }

    private static func mapSize(_ value: YAMLValue) throws(ConfigurationError) -> Int {
        let bytes = try value.integer(in: mapSizes)
        guard isMapSize(bytes) else { throw value.unexpected("a multiple of 4096") }
        return bytes
    }

    private static func origin(_ value: YAMLValue) throws(ConfigurationError) -> String {
        let origin = try value.text()
        guard NoteKey.isValid(name: origin) else {
            throw value.unexpected("a name without white space or plus sign, such as ledger.example/log")
        }
        return origin
    }
}

extension Settings.Logging {
    fileprivate init(_ value: YAMLValue) throws(ConfigurationError) {
        var members = try YAMLMapping(value)
        if let member = members.take("level") { level = try member.one(of: Level.self) }
        if let member = members.take("format") { format = try member.one(of: Format.self) }
        try members.finish()
    }
}
