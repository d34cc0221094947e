package import Primitives

/// The failure of a request to an object storage. It never contains a secret.
package enum ObjectStorageError: DiagnosedError, Hashable, Sendable {
    /// The service answered with an error. The same request fails again.
    case refused(request: String, found: String)
    /// No answer came, or one that says that a repetition may help.
    case unavailable(request: String, found: String)

    package var diagnosis: Diagnosis {
        switch self {
        case .refused(let request, let found):
            Diagnosis(
                "object_storage_refused", "the object storage refuses \(request)", expected: "success", found: found,
                hint: "Check the name of the bucket, the region, the credentials and their permissions.")
        case .unavailable(let request, let found):
            Diagnosis(
                "object_storage_unavailable", "the object storage does not carry out \(request)",
                expected: "an answer", found: found, hint: "Check the endpoint, and try again.", isRetryable: true)
        }
    }
}
