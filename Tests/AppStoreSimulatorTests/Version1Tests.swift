import AppStoreModel
import AppStoreSimulation
import AppStoreSimulator
import HTTPTypes
import Primitives
import Testing

@Suite struct `Notifications of version 1` {
    private static let password = "5ab1ed6e000040008000000000005ec7"

    private static func body(_ delivery: Delivery) throws -> JSONView? {
        try delivery.version1Body(password: password).map {
            try JSONDocument(parsing: Array($0.serialized().utf8)).root
        }
    }

    @Test func `have a type for each act of a customer`() async throws {
        var variants: Set<Bool> = []
        for seed in 1...6 as ClosedRange<UInt64> {
            let served = try await ServedStore(seed: seed, customers: 1, isNotifyingVersion1: true)
            let bought = try await Self.live(served)
            #expect(bought)
            let types = await served.store.deliveries.compactMap(\.version1Type)
            let cancelsUpgrade = types.dropFirst(4).first == .cancel
            variants.insert(cancelsUpgrade)
            #expect(
                types == [.initialBuy, .didRenew, .didChangeRenewalStatus, .interactiveRenewal]
                    + (cancelsUpgrade ? [.cancel] : [])
                    + [
                        .didChangeRenewalPref, .didFailToRenew, .didRecover, .didChangeRenewalStatus,
                        .didChangeRenewalStatus, .cancel, .didChangeRenewalStatus, .refund,
                    ], "seed \(seed)")
        }
        #expect(variants == [true, false])
    }

    /// Buys, renews, upgrades, downgrades, fails, recovers, cancels, expires, returns, is refunded, and buys once.
    private static func live(_ served: ServedStore) async throws -> Bool {
        func act(_ path: String, _ body: JSONValue = [:], thenDays days: Int64) async throws -> ServedStore.Answer {
            let answer = try await served.call(.post, "/simulator/\(path)", body)
            #expect(answer.status == 200, "\(path)")
            await served.play(
                to: await served.store.now.advanced(byMilliseconds: days * Instant.millisecondsPerDay))
            return answer
        }
        _ = try await act("devices/0/purchase", ["productId": "pro.monthly"], thenDays: 40)
        _ = try await act("devices/0/purchase", ["productId": "pro.max.monthly"], thenDays: 2)
        _ = try await act("devices/0/purchase", ["productId": "pro.monthly"], thenDays: 2)
        _ = try await act("customers/0/fail-billing", thenDays: 30)
        _ = try await act("customers/0/fix-billing", thenDays: 2)
        _ = try await act("customers/0/cancel", thenDays: 40)
        _ = try await act("customers/0/resubscribe", thenDays: 2)
        _ = try await act("customers/0/refund", thenDays: 2)
        let unlock = try await act("devices/0/purchase", ["productId": "unlock"], thenDays: 1)
        let id = try #require(unlock.body?["transaction"]?["transactionId"]?.string)
        _ = try await act("customers/0/refund", ["transactionId": .string(id)], thenDays: 1)
        return true
    }

    @Test func `state what the notification of version 2 about the same change states`() async throws {
        let served = try await ServedStore(isNotifyingVersion1: true)
        var counts: [Version1Type: Int] = [:]
        var bodies: [(Delivery, JSONView)] = []
        await served.play(toDay: 540) { delivery in
            if delivery.attempts.isEmpty, let body = try? Self.body(delivery) { bodies.append((delivery, body)) }
            return .success
        }
        for (delivery, body) in bodies {
            let type = try #require(delivery.version1Type)
            counts[type, default: 0] += 1
            let notification = served.store.signers[delivery.notification.signedDate].sign(delivery.notification)
            let transaction = try payload(notification.transaction?.text)
            #expect(body["notification_type"]?.string == type.rawValue)
            #expect(body["environment"]?.string == "PROD" && body["password"]?.string == Self.password)
            #expect(body["bid"]?.string == "com.example.app" && body["bvrs"]?.string == "42")
            let originalId = transaction["originalTransactionId"]?.string
            #expect(body["original_transaction_id"]?.integer.map { "\($0)" } == originalId)
            let unified = try #require(body["unified_receipt"])
            #expect(unified["environment"]?.string == "Production" && unified["status"]?.integer == 0)
            let row = try #require(
                unified["latest_receipt_info"]?.elements?.first {
                    $0["transaction_id"]?.string == transaction["transactionId"]?.string
                })
            #expect(row["expires_date_ms"]?.string == transaction["expiresDate"]?.integer.map { "\($0)" })
            if type == .cancel { #expect(row["cancellation_date"] != nil || body["cancellation_date"] != nil) }
            if type == .refund { #expect(row["cancellation_date"] != nil) }
            guard let renewal = notification.renewalInfo else { continue }
            let renewalInfo = try payload(renewal.text)
            #expect(body["auto_renew_product_id"]?.string == renewalInfo["autoRenewProductId"]?.string)
            #expect(
                body["auto_renew_status"]?.string == (renewalInfo["autoRenewStatus"]?.integer == 1 ? "true" : "false"))
            #expect((body["auto_renew_status_change_date_ms"] != nil) == (type == .didChangeRenewalStatus))
        }
        #expect(Set(counts.keys) == Set(Version1Type.allCases), "\(counts)")
    }

    @Test func `are repeated after 6, 24 and 48 hours, with another receipt of the same content`() async throws {
        let served = try await ServedStore(customers: 20, isNotifyingVersion1: true)
        var attempts: [String: [JSONView]] = [:]
        await served.play(toDay: 170) { delivery in
            if let body = try? Self.body(delivery) { attempts[delivery.uuid, default: []].append(body) }
            return .timedOut
        }
        let failed = await served.store.deliveries.filter { $0.version1Type != nil && $0.nextAttempt == nil }
        #expect(failed.count > 10)
        for delivery in failed {
            let hours = zip(delivery.attempts, delivery.attempts.dropFirst()).map {
                ($1.date.milliseconds - $0.date.milliseconds) / Instant.millisecondsPerHour
            }
            #expect(hours == [6, 24, 48])
            let bodies = try #require(attempts[delivery.uuid])
            let receipts = bodies.compactMap { $0["unified_receipt"]?["latest_receipt"]?.string }
            #expect(bodies.count == 4 && Set(receipts).count == 4)
            let texts = zip(bodies, receipts).map { body, receipt in
                JSONValue(body).serialized().split(separator: receipt).joined(separator: "BLOB")
            }
            #expect(Set(texts).count == 1)
            let rows = try receipts.map { try ReceiptSigner.standard.open(try #require(Base64.decode($0))).inApp }
            #expect(Set(rows).count == 1)
        }
    }

    @Test func `leave out what the sandbox does not send`() async throws {
        let served = try await ServedStore(isNotifyingVersion1: true, environment: .sandbox)
        var all: [Delivery] = []
        await served.play(toDay: 540) { delivery in
            all.append(delivery)
            return .success
        }
        let types = Set(all.compactMap(\.version1Type))
        #expect(types.contains(.didRenew) && types.contains(.cancel))
        #expect(types.isDisjoint(with: [.didFailToRenew, .didRecover, .priceIncreaseConsent]))
        let last = try #require(all.last { $0.version1Type != nil })
        let body = try #require(try Self.body(last))
        #expect(body["environment"]?.string == "Sandbox")
        #expect(body["unified_receipt"]?["environment"]?.string == "Sandbox")
    }

    @Test func `are in no history of the Server API`() async throws {
        let served = try await ServedStore(customers: 5, isNotifying: true, isNotifyingVersion1: true)
        await served.play(toDay: 170)
        let all = await served.store.deliveries
        let versions = Dictionary(grouping: all) { $0.version1Type == nil ? 2 : 1 }
        #expect(versions[1]?.isEmpty == false)
        let start = served.store.configuration.simulation.start.milliseconds
        var (found, token) = (0, String?.none)
        repeat {
            let page = try await served.call(
                .post, "/inApps/v1/notifications/history" + (token.map { "?paginationToken=\($0)" } ?? ""),
                ["startDate": .integer(start), "endDate": .integer(start + 170 * Instant.millisecondsPerDay)])
            found += page.body?["notificationHistory"]?.elements?.count ?? 0
            token = page.body?["paginationToken"]?.string
        } while token != nil
        #expect(found == versions[2]?.count)
    }
}
