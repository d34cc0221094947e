package import Primitives

/// A JOSE header like the App Store's. Tests change fields to create headers that must be rejected.
package struct JWSHeader: Sendable {
    package var alg: String?
    /// DER certificates, leaf first; nil omits `x5c`.
    package var x5c: [[UInt8]]?
    /// Fields written after the others.
    package var extraFields: [JSONValue.Member] = []

    package init(alg: String? = "ES256", x5c: [[UInt8]]?) {
        self.alg = alg
        self.x5c = x5c
    }

    package func serialized() -> [UInt8] {
        var members: [JSONValue.Member] = []
        if let alg { members.append(.init("alg", .string(alg))) }
        if let x5c { members.append(.init("x5c", .array(x5c.map { .string(Base64.encode($0)) }))) }
        return JSONValue.object(members + extraFields).bytes
    }
}
