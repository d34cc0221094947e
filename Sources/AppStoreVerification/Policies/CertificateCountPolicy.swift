import AppStoreModel

/// x5c contains exactly leaf, intermediate and root. Only local test data is signed by a single certificate.
enum CertificateCountPolicy {
    static func check(_ count: Int, environment: Environment?) throws(Refusal) {
        let isLocal = environment?.isLocal == true
        let expected = isLocal ? 1 : 3
        guard count == expected else {
            throw Refusal(
                isLocal ? .environmentRefused : .certificateCount, "x5c contains the wrong number of certificates",
                expected: "\(expected)", found: "\(count)")
        }
    }
}
