import AppStoreSimulation

extension Scenario {
    static let all =
        purchases + renewals + planChanges + afterCharge + billing + refunds + service + awkward

    static let firstTransaction = "410000000000001"
    static let withoutGrace: StoreConfiguration = {
        var configuration = StoreConfiguration()
        configuration.gracePeriod = nil
        return configuration
    }()
}
