import AppStoreModel
import ArgumentParser
import EventLog
import LedgerAPI
import Primitives
import SubscriptionLedger
import SubscriptionStatus

struct CustomerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "customer",
        abstract: "Decide which customer owns which purchases.",
        discussion: """
            Each change is an event; nothing before it changes. The commands take the ledger for writing: a running \
            service takes the same calls as POST /v1/customers/{id}/link, identify, merge, unmerge and transfer. They \
            print the customer as GET /v1/customers/{id} does.
            """,
        subcommands: [Link.self, Identify.self, Merge.self, Unmerge.self, Transfer.self])

    struct Link: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Link a known subscription to a customer, as a backend's posting does.",
            discussion: """
                Refused, and kept as a conflict, if another known customer has it: see `customer transfer`.

                EXAMPLES
                  subledger customer link alice --subscription 2000000123456789
                """)

        @OptionGroup var customer: CustomerArgument
        @Option(name: .customLong("subscription"), help: "An originalTransactionId.")
        var originalTransactionId: String
        @OptionGroup var scope: ScopeOptions
        @OptionGroup var ledger: LedgerOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            try await change(ledger, output) {
                try await $0.link(
                    scope.selector(originalTransactionId), to: customer.id, by: .admin, scope: scope.scope,
                    source: .operator)
            }
        }
    }

    struct Identify: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Say who an anonymous customer is.",
            discussion: """
                Merges the customer of the handle into the customer of the id.

                EXAMPLES
                  subledger customer identify alice --handle 0f1e2d3c4b5a69788796a5b4c3d2e1f0
                """)

        @OptionGroup var customer: CustomerArgument
        @Option(help: "The handle of the anonymous customer.")
        var handle: String
        @Flag(help: "Also merge a customer who is known already.")
        var merge = false
        @OptionGroup var scope: ScopeOptions
        @OptionGroup var ledger: LedgerOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            try await change(ledger, output) {
                try await $0.identify(
                    customer.id, handle: handle, merge: merge, by: .admin, scope: scope.scope, source: .operator)
            }
        }
    }

    struct Merge: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make another customer one with this one.",
            discussion: """
                Everything of the other customer belongs to this one, until `customer unmerge` undoes it.

                EXAMPLES
                  subledger customer merge alice --from alice@example.com
                """)

        @OptionGroup var customer: CustomerArgument
        @OptionGroup var other: OtherCustomer
        @OptionGroup var scope: ScopeOptions
        @OptionGroup var ledger: LedgerOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let other = try other.customer()
            try await change(ledger, output) {
                try await $0.merge(
                    other, into: customer.id, by: .admin, scope: scope.scope, source: .operator)
            }
        }
    }

    struct Unmerge: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Undo a merge into this customer, from now on.",
            discussion: """
                Purchases that were linked since the merge stay with this customer.

                EXAMPLES
                  subledger customer unmerge alice --from alice@example.com
                """)

        @OptionGroup var customer: CustomerArgument
        @OptionGroup var other: OtherCustomer
        @OptionGroup var scope: ScopeOptions
        @OptionGroup var ledger: LedgerOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let other = try other.customer()
            try await change(ledger, output) {
                try await $0.unmerge(
                    other, from: customer.id, by: .admin, scope: scope.scope, source: .operator)
            }
        }
    }

    struct Transfer: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Give one subscription to a customer, over every claim and token.",
            discussion: """
                Settles the conflicts over the subscription.

                EXAMPLES
                  subledger customer transfer alice --subscription 2000000123456789 --environment Production
                """)

        @OptionGroup var customer: CustomerArgument
        @Option(name: .customLong("subscription"), help: "An originalTransactionId.")
        var originalTransactionId: String
        @OptionGroup var scope: ScopeOptions
        @OptionGroup var ledger: LedgerOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            try await change(ledger, output) {
                try await $0.transfer(
                    scope.selector(originalTransactionId), to: customer.id, by: .admin, scope: scope.scope,
                    source: .operator)
            }
        }
    }
}

struct CustomerArgument: ParsableArguments {
    @Argument(help: "Your id of the customer.")
    var id: String
}

struct OtherCustomer: ParsableArguments {
    @Option(help: "Your id of the other customer.")
    var from: String?

    @Option(help: "A handle of the other customer.")
    var handle: String?

    func customer() throws -> MergedCustomer {
        switch (from, handle) {
        case (let id?, nil): return .id(id)
        case (nil, let handle?): return .handle(handle)
        default:
            throw CommandFailure(
                code: "usage", message: "Give either --from or --handle", hint: "See --help.",
                exitCode: CommandFailure.usage)
        }
    }
}

/// The environment and the app that a subscription is looked for in, and that the answer is about.
struct ScopeOptions: ParsableArguments {
    @Option(help: "The environment; by default the answer is about Production.")
    var environment: Environment?

    @Option(name: .customLong("bundle-id"), help: "The app; by default every app.")
    var bundleId: String?

    var scope: CustomerScope { CustomerScope(environment: environment ?? .production, bundleId: bundleId) }

    func selector(_ originalTransactionId: String) -> SubscriptionSelector {
        SubscriptionSelector(
            originalTransactionId: originalTransactionId, environment: environment, bundleId: bundleId)
    }
}

/// Opens the ledger for writing, changes it, and prints the customer.
private func change(
    _ options: LedgerOptions, _ output: OutputOptions,
    _ body: (Ledger) async throws -> CustomerAnswer<SubscriptionRow>
) async throws {
    try options.folder.requireExists()
    let ledger = try Ledger(writing: try options.configuration())
    defer { ledger.close() }
    let answer = try await body(ledger)
    AnswerTable.print(
        answer.json, rows: "subscriptions",
        columns: ["originalTransactionId", "productId", "status", "entitled", "expiresAt", "reason"],
        format: output.effectiveFormat)
}
