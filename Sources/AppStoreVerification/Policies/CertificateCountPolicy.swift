import AppStoreModel

/// x5c holds exactly leaf, intermediate and root; a single certificate signs local test data, and nothing else.
enum CertificateCountPolicy {
    static func check(_ count: Int, environment: Environment?) throws(Refusal) {
        let isLocal = environment?.isLocal == true
        let expected = isLocal ? 1 : 3
        guard count == expected else {
            throw Refusal(
                isLocal ? .environmentRefused : .certificateCount, "x5c holds the wrong number of certificates",
                expected: "\(expected)", found: "\(count)")
        }
    }
}
