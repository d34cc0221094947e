package import Primitives

/// A JOSE header as the App Store writes it. Each field can be changed, for what must be refused.
package struct JWSHeader: Sendable {
    package var alg: String?
    /// DER certificates, leaf first; nil leaves `x5c` out.
    package var x5c: [[UInt8]]?
    /// Written after the others.
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
