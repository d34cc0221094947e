// swift-tools-version: 6.3
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
]

/// Views into the memory map that the compiler keeps from outliving their transaction.
let memorySettings: [SwiftSetting] = [.enableExperimentalFeature("Lifetimes"), .strictMemorySafety()]

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
        // Values and encodings that everything else needs. Pure, as are the four after it.
        .target(name: "Primitives", dependencies: [crypto], swiftSettings: settings),
        .target(name: "AppStoreModel", dependencies: ["Primitives"], swiftSettings: settings),
        .target(name: "LedgerModel", dependencies: ["Primitives", "AppStoreModel"], swiftSettings: settings),
        .target(
            name: "AppStoreTranslation", dependencies: ["Primitives", "AppStoreModel", "LedgerModel"],
            swiftSettings: settings
        ),
        .target(
            name: "SubscriptionStatus", dependencies: ["Primitives", "AppStoreModel", "LedgerModel"],
            path: "Projections/SubscriptionStatus", swiftSettings: settings
        ),

        .target(
            name: "AppStoreVerification",
            dependencies: ["Primitives", "AppStoreModel", crypto, swiftASN1, x509],
            swiftSettings: settings
        ),
        .systemLibrary(name: "CLMDB", pkgConfig: "lmdb", providers: [.apt(["liblmdb-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .target(name: "LMDB", dependencies: ["CLMDB"], swiftSettings: settings + memorySettings),
        .target(
            name: "EventLog", dependencies: ["Primitives", "LMDB", "CZlib", crypto], swiftSettings: settings
        ),
        .target(
            name: "ProjectionRuntime",
            dependencies: ["Primitives", "AppStoreModel", "LedgerModel", "AppStoreTranslation", "LMDB", "EventLog"],
            swiftSettings: settings
        ),
        .target(
            name: "SubscriptionLedger",
            dependencies: [
                "Primitives", "AppStoreModel", "LedgerModel", "AppStoreTranslation", "SubscriptionStatus",
                "AppStoreVerification", "EventLog", "ProjectionRuntime", "LMDB",
            ],
            swiftSettings: settings
        ),

        .executableTarget(
            name: "subledger",
            dependencies: [
                "Primitives", "AppStoreModel", "LedgerModel", "AppStoreVerification", "EventLog", "SubscriptionLedger",
                argumentParser,
            ],
            path: "Tools/subledger", swiftSettings: settings
        ),
        .target(
            name: "AppStoreSimulation", dependencies: ["Primitives", "AppStoreModel", crypto, swiftASN1, x509],
            path: "Tools/AppStoreSimulation", swiftSettings: settings
        ),

        .testTarget(name: "LedgerModelTests", dependencies: ["LedgerModel"], swiftSettings: settings),
    ]
)
