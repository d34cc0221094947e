import ArgumentParser
import LedgerAPI
import LedgerStorage
import Primitives
import SubscriptionLedger

struct CustomerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "customer",
        abstract: "Show a customer, change who owns purchases, grant entitlements, and forget a customer.",
        discussion: """
            Each command but `show` and `report` appends an event. A known customer has an id in your system or an appAccountToken; an \
            anonymous customer has only a handle. While a service has the ledger open, the service makes the change on \
            behalf of the command. Over HTTP, the same changes are POST /v1/customers/{id}/link, identify, merge, \
            unmerge, transfer and grant. The output has the form of GET /v1/customers/{id}.
            """,
        subcommands: [
            Show.self, Link.self, Identify.self, Merge.self, Unmerge.self, Transfer.self, Grant.self, Report.self,
            Erase.self,
        ])

    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show the entitlements, products, purchases and next steps of a customer.",
            discussion: """
                JSON has the whole answer of GET /v1/customers/{id}. A table shows the entitlements, products, \
                introductory offers, subscriptions and next steps; CSV has the subscriptions.

                EXAMPLES
                  subledger customer show alice
                  subledger customer show alice --as-of 2026-03-01 --format json
                """)

        @Argument(help: "The customer id in your system.")
        var id: String

        @OptionGroup var scope: ScopeOptions
        @OptionGroup var instants: InstantOptions
        @OptionGroup var ledger: LedgerOptions
        @OptionGroup var output: RowOutputOptions

        func run() throws {
            let opened = try ledger.reading()
            let answer = try opened.customer(id, try instants.question(to: opened), scope: scope.customerScope).json
            guard output.effectiveFormat == .table else {
                return AnswerTable.print(answer, rows: "subscriptions", columns: [], format: output.effectiveFormat)
            }
            AnswerTable.print(
                answer, rows: "entitlements", columns: ["id", "until", "because"], format: .table)
            for (rows, columns) in [
                ("products", ["productId", "group", "state"]),
                ("offers", ["productId", "group", "eligible", "reason"]),
                ("subscriptions", StateCommand.columns),
                ("nextSteps", ["step", "productId", "until", "daysLeft", "price", "currency", "entitlements", "url"]),
            ] where !answer.elements(of: rows).isEmpty {
                Terminal.standardOutput.write("\n" + AnswerTable.table(answer.elements(of: rows), columns))
            }
        }
    }

    struct Link: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Link a known subscription to a customer.",
            discussion: """
                Has the same effect as POST /v1/transactions by a backend. A subscription of another known customer is \
                refused and listed as a conflict. Use `subledger customer transfer` to resolve the conflict. \
                --environment and --bundle-id select the subscription if several have this id.

                EXAMPLES
                  subledger customer link alice --subscription 2000000123456789
                """)

        @OptionGroup var subscription: SubscriptionOption
        @OptionGroup var customer: CustomerChangeOptions

        func run() async throws {
            try await customer.apply(.link(customer.scope.selector(subscription.originalTransactionId)))
        }
    }

    struct Identify: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Merge an anonymous customer into a known customer.",
            discussion: """
                EXAMPLES
                  subledger customer identify alice --handle 0f1e2d3c4b5a69788796a5b4c3d2e1f0
                """)

        @Option(help: "Handle of the anonymous customer.")
        var handle: String
        @Flag(help: "Permit merging two known customers.")
        var merge = false
        @OptionGroup var customer: CustomerChangeOptions

        func run() async throws {
            try await customer.apply(.identify(handle: handle, merge: merge))
        }
    }

    struct Merge: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Merge another customer into this customer.",
            discussion: """
                Requires either --from or --handle. Purchases of the other customer belong to this customer until \
                `subledger customer unmerge`.

                EXAMPLES
                  subledger customer merge alice --from alice@example.com
                """)

        @OptionGroup var other: OtherCustomer
        @OptionGroup var customer: CustomerChangeOptions

        func run() async throws {
            try await customer.apply(.merge(try other.customer()))
        }
    }

    struct Unmerge: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Undo a merge.",
            discussion: """
                Requires either --from or --handle. Answers for all instants change; answers known at an earlier log \
                size do not. Purchases linked after the merge stay with this customer.

                EXAMPLES
                  subledger customer unmerge alice --from alice@example.com
                """)

        @OptionGroup var other: OtherCustomer
        @OptionGroup var customer: CustomerChangeOptions

        func run() async throws {
            try await customer.apply(.unmerge(try other.customer()))
        }
    }

    struct Transfer: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Transfer a subscription to a customer, overriding claims and tokens.",
            discussion: """
                Resolves conflicts about the subscription. --environment and --bundle-id select the subscription if \
                several have this id.

                EXAMPLES
                  subledger customer transfer alice --subscription 2000000123456789 --environment Production
                """)

        @OptionGroup var subscription: SubscriptionOption
        @OptionGroup var customer: CustomerChangeOptions

        func run() async throws {
            try await customer.apply(.transfer(customer.scope.selector(subscription.originalTransactionId)))
        }
    }
}

extension CustomerCommand {
    struct Grant: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Grant an entitlement to a customer, for example for a purchase outside the App Store.",
            discussion: """
                The grant begins now. The newest grant of an entitlement to a customer counts: to withdraw it, grant it \
                again with --until now.

                EXAMPLES
                  subledger customer grant alice pro --until 2027-01-01 --because "paid by invoice 1041"
                """)

        @OptionGroup var customer: CustomerChangeOptions
        @Argument(help: "The name of the entitlement. It may be new to the catalogue.")
        var entitlement: String
        @Option(help: "End of the grant, or `now` (default: it does not end).")
        var until: String?
        @Option(help: "The reason, stored in the event and shown in answers.")
        var because: String

        func run() async throws {
            let end = try until.map { text in
                guard let instant = text == "now" ? SystemClock.now() : Instant(text: text) else {
                    throw CommandFailure(usage: "--until must be an ISO 8601 date and time, or `now`")
                }
                return instant
            }
            try await customer.apply(
                .grant(GrantRequest(entitlement: entitlement, until: end, because: because)), rows: "entitlements",
                columns: ["id", "until", "because"])
        }
    }
}

/// A customer to change, and the ledger that contains it.
struct CustomerChangeOptions: ParsableArguments {
    @Argument(help: "The customer id in your system.")
    var id: String

    @OptionGroup var scope: ScopeOptions
    @OptionGroup var ledger: LedgerOptions
    @OptionGroup var output: RowOutputOptions

    /// Changes the ledger and prints the customer.
    /// - Parameters:
    ///   - rows: the member of the customer that a table shows.
    ///   - columns: its columns.
    func apply(
        _ change: CustomerChange, rows: String = "subscriptions",
        columns: [String] = ["originalTransactionId", "productId", "status", "entitled", "expiresAt", "reason"]
    ) async throws {
        try ledger.folder.requireExists()
        let access = try LedgerAccess(try ledger.configuration())
        defer { access.close() }
        let answer = try await access.apply(change, to: id, scope: scope.customerScope)
        AnswerTable.print(answer, rows: rows, columns: columns, format: output.effectiveFormat)
    }
}

struct SubscriptionOption: ParsableArguments {
    @Option(name: .customLong("subscription"), help: "The originalTransactionId of the subscription.")
    var originalTransactionId: String
}

struct OtherCustomer: ParsableArguments {
    @Option(help: "The id of the other customer in your system.")
    var from: String?

    @Option(help: "The handle of the other customer.")
    var handle: String?

    func customer() throws -> MergedCustomer {
        switch (from, handle) {
        case (let id?, nil): return .id(id)
        case (nil, let handle?): return .handle(handle)
        default: throw CommandFailure(usage: "Give either --from or --handle")
        }
    }
}
