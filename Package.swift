// swift-tools-version: 6.3
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
]

let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let swiftASN1 = Target.Dependency.product(name: "SwiftASN1", package: "swift-asn1")
let x509 = Target.Dependency.product(name: "X509", package: "swift-certificates")

let package = Package(
    name: "subledger",
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-asn1", from: "1.7.4"),
        .package(url: "https://github.com/apple/swift-certificates", from: "1.21.1"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
    ],
    targets: [
        .target(name: "Primitives", dependencies: [crypto], swiftSettings: settings),
        .target(name: "AppStoreModel", dependencies: ["Primitives"], swiftSettings: settings),
        .target(
            name: "AppStoreVerification",
            dependencies: ["Primitives", "AppStoreModel", crypto, swiftASN1, x509],
            swiftSettings: settings
        ),
        .target(
            name: "SubscriptionLedger", dependencies: ["Primitives", "AppStoreModel", "AppStoreVerification"],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "subledger",
            dependencies: ["Primitives", "AppStoreModel", "AppStoreVerification", "SubscriptionLedger", argumentParser],
            path: "Tools/subledger", swiftSettings: settings
        ),
        .testTarget(name: "PrimitivesTests", dependencies: ["Primitives"], swiftSettings: settings),
    ]
)
