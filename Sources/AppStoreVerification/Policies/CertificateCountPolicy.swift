import AppStoreModel
import Primitives

/// x5c holds exactly leaf, intermediate and root; one certificate where local test data was allowed by name.
enum CertificateCountPolicy {
    static func certificates(_ header: JSONView, environment: Environment?) throws(Refusal) -> [JSONView] {
        let certificates = header["x5c"]?.elements ?? []
        if environment?.isLocal == true, certificates.count == 1 { return certificates }
        guard certificates.count == 3 else {
            throw Refusal(
                .certificateCount, "x5c holds the wrong number of certificates", expected: "3",
                found: "\(certificates.count)")
        }
        return certificates
    }
}
