import AppStoreModel
import Primitives
import Testing

@Suite("Types of claims")
struct ClaimTypeTests {
    /// A claim of each kind, with the JSON text around it and its JSON type.
    static let claims: [(kind: String, before: String, after: String, type: JSONType)] = [
        ("an id", #"{"transactionId":"#, "}", .string),
        ("a word", #"{"type":"#, "}", .string),
        ("a nested JWS", #"{"data":{"signedTransactionInfo":"#, "}}", .string),
        ("a date", #"{"expiresDate":"#, "}", .number),
        ("an amount", #"{"price":"#, "}", .number),
        ("a number that stands for a word", #"{"offerType":"#, "}", .number),
        ("a flag", #"{"isUpgraded":"#, "}", .boolean),
        ("an object", #"{"commitmentInfo":"#, "}", .object),
        ("a part of a notification", #"{"data":"#, "}", .object),
        ("a claim of a part", #"{"appData":{"bundleId":"#, "}}", .string),
        ("a date in an object", #"{"commitmentInfo":{"commitmentExpiresDate":"#, "}}", .number),
        ("a list of texts", #"{"eligibleWinBackOfferIds":"#, "}", .array),
        ("a text in a list", #"{"eligibleWinBackOfferIds":["a","#, "]}", .string),
        ("a list of objects", #"{"advancedCommerceInfo":{"items":"#, "}}", .array),
        ("an object in a list", #"{"advancedCommerceInfo":{"items":[{},"#, "]}}", .object),
        ("a claim of an object in a list", #"{"advancedCommerceInfo":{"items":[{"SKU":"#, "}]}}", .string),
    ]

    /// Values of every JSON type, including those that could be mistaken for another type.
    static let values: [(text: String, type: JSONType)] = [
        ("null", .null), ("true", .boolean), ("false", .boolean), ("0", .number), ("7", .number), ("1.5", .number),
        (#""""#, .string), (#""7""#, .string), (#""true""#, .string), (#""{}""#, .string), ("[]", .array),
        ("[null]", .array), ("{}", .object), (#"{"a":7}"#, .object),
    ]

    @Test(arguments: claims.indices)
    func `a claim is read in its own type, absent as null, and refused in any other`(index: Int) throws {
        let claim = Self.claims[index]
        for (text, type) in Self.values {
            let payload = try JSONDocument(parsing: Array((claim.before + text + claim.after).utf8)).root
            let accepted = type == claim.type || type == .null
            let found = Self.refusedType(payload)
            #expect(found == (accepted ? nil : type), "\(claim.kind) as \(text)")
            #expect(Self.refusedType(payload, mistyped: .absent) == nil, "\(claim.kind) as \(text), stored")
        }
    }

    /// Returns the type found in the claim for which a payload type refuses the object. Each payload type reads its own
    /// claims.
    private static func refusedType(_ payload: JSONView, mistyped: MistypedClaims = .refused) -> JSONType? {
        func found(_ read: () throws -> Void) -> JSONType? {
            do {
                try read()
                return nil
            } catch PayloadError.claimMalformed(_, _, let found) {
                return found
            } catch {
                Issue.record("\(error)")
                return nil
            }
        }
        return found { _ = try Transaction(payload, mistyped: mistyped) }
            ?? found { _ = try RenewalInfo(payload, mistyped: mistyped) }
            ?? found { _ = try Notification(payload, mistyped: mistyped) }
            ?? found { _ = try AppTransaction(payload, mistyped: mistyped) }
    }
}
