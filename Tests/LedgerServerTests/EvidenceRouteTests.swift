import AppStoreSimulation
import HTTPTypes
import HummingbirdTesting
import Primitives
import SubscriptionLedger
import Testing

@Suite struct EvidenceRouteTests {
    @Test func `evidence comes back byte for byte under its digest`() async throws {
        let test = try TestLedger()
        let notifications = Sample.notifications()
        try await test.append(notifications)
        try await test.calls { client in
            for (position, notification) in notifications.enumerated() {
                let answer = try await client.get("/v1/evidence/\(position)")
                #expect(answer.status == .ok)
                #expect(answer.bytes == notification.jws.compact)
                #expect(answer.headers[.contentType] == "application/jose")
                #expect(answer.headers[.eTag] == "\"\(Digest.sha256(of: notification.jws.compact).hex)\"")
            }
        }
    }

    @Test func `known evidence is not sent again`() async throws {
        let test = try TestLedger()
        try await test.append(Sample.notifications())
        try await test.calls { client in
            let tag = try #require(try await client.get("/v1/evidence/1").headers[.eTag])
            for match in [tag, "W/\(tag)", "*", "\"other\", \(tag)"] {
                let answer = try await client.get("/v1/evidence/1", [.ifNoneMatch: match])
                #expect(answer.status == .notModified)
                #expect(answer.bytes.isEmpty)
                #expect(answer.headers[.eTag] == tag)
            }
            let other = try await client.get("/v1/evidence/0", [.ifNoneMatch: tag])
            #expect(other.status == .ok)
        }
    }

    @Test func `there is none beyond the head, nor of an event of our own`() async throws {
        let test = try TestLedger()
        let posted = [try #require(Sample.notifications().first).transactionText]
        let body = JSONValue.object([
            "signedTransactions": .array(posted.map { .string($0) }), "customerId": .string("alice"),
        ])
        try await test.calls { client in
            _ = try await client.post("/v1/transactions", body.serialized().utf8)
            #expect(try await client.get("/v1/evidence/0").status == .ok)
            try await client.get("/v1/evidence/1").expectProblem("not_found", .notFound)
            try await client.get("/v1/evidence/2").expectProblem("position_unknown", .notFound)
            for position in ["-1", "01", "x", "18446744073709551615", "%31x"] {
                try await client.get("/v1/evidence/\(position)").expectProblem("parameter_invalid", .badRequest)
            }
        }
    }

    @Test func `the list has every position with its length, none left out`() async throws {
        let test = try TestLedger()
        let notification = try #require(Sample.notifications().first)
        let body = JSONValue.object([
            "signedTransactions": .array([.string(notification.transactionText)]), "customerId": .string("alice"),
        ])
        try await test.append([notification])
        try await test.calls { client in
            _ = try await client.post("/v1/transactions", body.serialized().utf8)
            let list = try await client.get("/v1/evidence").bytes
            var expected: [UInt8] = []
            let texts = [notification.jws.compact, Array(notification.transactionText.utf8), []]
            for (position, evidence) in texts.enumerated() {
                expected += [0, 0, 0, 0, 0, 0, 0, UInt8(position)]
                expected += [0, 0, UInt8(evidence.count >> 8), UInt8(evidence.count & 0xFF)]
                expected += evidence
            }
            #expect(list == expected)
        }
    }
}
