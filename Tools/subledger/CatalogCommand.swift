import ArgumentParser
import LedgerAPI
import LedgerConfiguration
import LedgerModel
import LedgerStorage
import Primitives
import SubscriptionLedger

struct CatalogCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "catalog",
        abstract: "Apply and show the catalogue of an app's products.",
        discussion: """
            A catalogue has the products of one app: their groups, durations, offers and entitlements. Apple signs \
            none of this. A product that the catalogue lacks keeps its rows, and gives no entitlement.
            """,
        subcommands: [Apply.self, Show.self, Import.self])

    struct Apply: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Apply a catalogue to all later answers.",
            discussion: """
                Appends an event with the file. The catalogue replaces the one of the same app. Answers at a log size \
                before the event use the earlier catalogue. An equal catalogue is not applied again. A product whose \
                type or group contradicts the transactions in the log is refused with line and column. While `serve` \
                runs, the service appends the event on behalf of the command.

                EXAMPLES
                  subledger catalog apply catalog.yaml
                  subledger catalog apply catalog.yaml --format json
                """)

        @Argument(help: "Catalogue file.")
        var file: String

        @OptionGroup var ledger: LedgerOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let file = try CatalogFile(path: file)
            try ledger.folder.requireExists()
            let access = try LedgerAccess(try ledger.configuration())
            defer { access.close() }
            CatalogReport.print(try await access.apply(file), in: output.effectiveFormat)
        }
    }

    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show the catalogues and the products missing from them.",
            discussion: """
                EXAMPLES
                  subledger catalog show
                  subledger catalog show --known-at 12000 --format json
                """)

        @Option(
            name: .customLong("known-at"),
            help: "Show the catalogues known at this log size (below 10^11) or instant (default: all events).")
        var knownAt: AsOfQuery.KnownAt?

        @OptionGroup var ledger: LedgerOptions
        @OptionGroup var output: OutputOptions

        func run() throws {
            CatalogReport.print(try ledger.reading().catalogs(knownAt).json, in: output.effectiveFormat)
        }
    }

    struct Import: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print a catalogue made from Xcode's StoreKit configuration.",
            discussion: """
                Reads a .storekit file and prints a catalogue file. Add what the StoreKit configuration lacks: the \
                entitlements, and the durations of non-renewing subscriptions. The ids of groups are Apple's only if \
                Xcode syncs the file with App Store Connect. The ledger is not changed.

                EXAMPLE
                  subledger catalog import Store.storekit --bundle-id com.example.app > catalog.yaml
                """)

        @Argument(help: "StoreKit configuration file.")
        var file: String

        @Option(name: .customLong("bundle-id"), help: "Bundle id of the app (default: that of the configured app).")
        var bundleId: String?

        @OptionGroup var ledger: LedgerOptions
        @OptionGroup var output: OutputOptions

        func run() throws {
            let apps = try ledger.settings().apps.map(\.bundleId)
            guard let bundleId = bundleId ?? (apps.count == 1 ? apps[0] : nil) else {
                throw CommandFailure(
                    code: "usage", message: "--bundle-id is required", expected: "--bundle-id",
                    found: "\(apps.count) configured apps", exitCode: CommandFailure.usage)
            }
            let catalog = try Catalog(storeKitFile: file, bundleId: Symbol(bundleId))
            switch output.format ?? .table {
            case .table: Terminal.standardOutput.write(catalog.yaml)
            case .json: Terminal.standardOutput.write(catalog.json.serialized() + "\n")
            }
        }
    }
}

/// Prints catalogues.
enum CatalogReport {
    /// - Parameter answer: the wire form of a `CatalogAnswer`.
    static func print(_ answer: JSONValue, in format: OutputFormat) {
        guard format == .table else {
            Terminal.standardOutput.write(answer.serialized() + "\n")
            return
        }
        if answer[member: "applied"] == .bool(false) {
            Terminal.standardOutput.write("This catalogue is already in effect.\n")
        }
        let catalogs = answer.elements(of: "catalogs")
        if catalogs.isEmpty { Terminal.standardOutput.write("no catalogues\n") }
        Terminal.standardOutput.write(catalogs.map(text).joined(separator: "\n"))
    }

    private static func text(of row: JSONValue) -> String {
        let catalog = row[member: "catalog"] ?? .null
        let heading = JSONValue.object([
            "bundleId": catalog[member: "bundleId"] ?? .null, "digest": row[member: "digest"] ?? .null,
            "position": row[member: "position"] ?? .null, "appliedAt": row[member: "appliedAt"] ?? .null,
        ])
        var text = AnswerTable.members(of: heading) + "\n"
        text += AnswerTable.table(
            catalog.elements(of: "products"),
            ["id", "type", "group", "level", "duration", "entitlements", "effectiveFrom"])
        let unknown = row.elements(of: "unknownProducts")
        guard !unknown.isEmpty else { return text }
        text += "\nproducts missing from the catalogue\n"
        return text
            + AnswerTable.table(unknown, ["productId", "environment", "type", "group", "originalTransactionIds"])
    }
}
