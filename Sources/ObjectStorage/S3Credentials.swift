/// The key of an account at an S3-compatible service. Its description leaves the secrets out.
package struct S3Credentials: Sendable {
    package let accessKeyId: String
    let secretAccessKey: String
    /// The token of temporary credentials; nil for lasting ones.
    let sessionToken: String?

    package init(accessKeyId: String, secretAccessKey: String, sessionToken: String? = nil) {
        (self.accessKeyId, self.secretAccessKey, self.sessionToken) = (accessKeyId, secretAccessKey, sessionToken)
    }
}

extension S3Credentials: CustomStringConvertible, CustomReflectable {
    package var description: String { accessKeyId }
    package var customMirror: Mirror { Mirror(self, children: ["accessKeyId": accessKeyId]) }
}
