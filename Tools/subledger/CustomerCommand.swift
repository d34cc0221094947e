import ArgumentParser
import LedgerAPI
import LedgerStorage
import Primitives
import SubscriptionLedger

struct CustomerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "customer",
        abstract: "Manage purchase ownership.",
        discussion: """
            Each change appends an event. The commands require write access to the ledger. A running service accepts \
            the same changes as POST /v1/customers/{id}/link, identify, merge, unmerge and transfer. The output has \
            the form of GET /v1/customers/{id}.
            """,
        subcommands: [Link.self, Identify.self, Merge.self, Unmerge.self, Transfer.self])

    struct Link: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Link a known subscription to a customer.",
            discussion: """
                Has the same effect as a posting by a backend. A subscription of another known customer is refused and \
                listed as a conflict. Use `subledger customer transfer` to resolve the conflict.

                EXAMPLES
                  subledger customer link alice --subscription 2000000123456789
                """)

        @OptionGroup var subscription: SubscriptionOption
        @OptionGroup var customer: CustomerChangeOptions

        func run() async throws {
            try await customer.change { ledger, id, scope in
                try await ledger.link(
                    customer.scope.selector(subscription.originalTransactionId), to: id, by: .admin, scope: scope,
                    source: .operator)
            }
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
            try await customer.change { ledger, id, scope in
                try await ledger.identify(
                    id, handle: handle, merge: merge, by: .admin, scope: scope, source: .operator)
            }
        }
    }

    struct Merge: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Merge another customer into this customer.",
            discussion: """
                Purchases of the other customer belong to this customer until `subledger customer unmerge`.

                EXAMPLES
                  subledger customer merge alice --from alice@example.com
                """)

        @OptionGroup var other: OtherCustomer
        @OptionGroup var customer: CustomerChangeOptions

        func run() async throws {
            let other = try other.customer()
            try await customer.change { ledger, id, scope in
                try await ledger.merge(other, into: id, by: .admin, scope: scope, source: .operator)
            }
        }
    }

    struct Unmerge: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Undo a merge.",
            discussion: """
                Does not change answers for earlier instants. Purchases linked after the merge stay with this customer.

                EXAMPLES
                  subledger customer unmerge alice --from alice@example.com
                """)

        @OptionGroup var other: OtherCustomer
        @OptionGroup var customer: CustomerChangeOptions

        func run() async throws {
            let other = try other.customer()
            try await customer.change { ledger, id, scope in
                try await ledger.unmerge(other, from: id, by: .admin, scope: scope, source: .operator)
            }
        }
    }

    struct Transfer: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Transfer a subscription to a customer, overriding claims and tokens.",
            discussion: """
                Resolves conflicts about the subscription.

                EXAMPLES
                  subledger customer transfer alice --subscription 2000000123456789 --environment Production
                """)

        @OptionGroup var subscription: SubscriptionOption
        @OptionGroup var customer: CustomerChangeOptions

        func run() async throws {
            try await customer.change { ledger, id, scope in
                try await ledger.transfer(
                    customer.scope.selector(subscription.originalTransactionId), to: id, by: .admin, scope: scope,
                    source: .operator)
            }
        }
    }
}

/// A customer to change, and the ledger that contains it.
struct CustomerChangeOptions: ParsableArguments {
    @Argument(help: "The customer id in your system.")
    var id: String

    @OptionGroup var scope: ScopeOptions
    @OptionGroup var ledger: LedgerOptions
    @OptionGroup var output: OutputOptions

    /// Opens the ledger for writing, changes it, and prints the customer.
    /// - Parameter body: receives the ledger, the id of the customer and the scope of the answer.
    func change(
        _ body: (LedgerWriter, String, CustomerScope) async throws -> CustomerAnswer<SubscriptionRow>
    ) async throws {
        try ledger.folder.requireExists()
        let opened = try LedgerWriter(try ledger.configuration())
        defer { opened.close() }
        let answer = try await body(opened, id, scope.customerScope)
        AnswerTable.print(
            answer.json, rows: "subscriptions",
            columns: ["originalTransactionId", "productId", "status", "entitled", "expiresAt", "reason"],
            format: output.effectiveFormat)
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
