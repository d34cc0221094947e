// swift-tools-version: 6.3
import PackageDescription

let isFuzzing = Context.environment["SUBLEDGER_FUZZ"] != nil

let settings: [SwiftSetting] =
    [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
        .treatAllWarnings(as: .error),
    ] + (isFuzzing ? [.unsafeFlags(["-sanitize=fuzzer"])] : [])

/// For tests whose time goes into the optimised code that they call: to optimise them too takes longer than it saves.
let testSettings = settings + [.unsafeFlags(["-Onone"])]

/// Views into the memory map that the compiler keeps from outliving their transaction.
let memorySettings: [SwiftSetting] = [.enableExperimentalFeature("Lifetimes"), .strictMemorySafety()]

let asyncHTTPClient = Target.Dependency.product(name: "AsyncHTTPClient", package: "async-http-client")
let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let cryptoExtras = Target.Dependency.product(name: "CryptoExtras", package: "swift-crypto")
let swiftASN1 = Target.Dependency.product(name: "SwiftASN1", package: "swift-asn1")
let heapModule = Target.Dependency.product(name: "HeapModule", package: "swift-collections")
let hummingbird = Target.Dependency.product(name: "Hummingbird", package: "hummingbird")
let hummingbirdCore = Target.Dependency.product(name: "HummingbirdCore", package: "hummingbird")
let hummingbirdTesting = Target.Dependency.product(name: "HummingbirdTesting", package: "hummingbird")
let jwtKit = Target.Dependency.product(name: "JWTKit", package: "jwt-kit")
let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioEmbedded = Target.Dependency.product(name: "NIOEmbedded", package: "swift-nio")
let nioHTTP1 = Target.Dependency.product(name: "NIOHTTP1", package: "swift-nio")
let nioHTTPTypes = Target.Dependency.product(name: "NIOHTTPTypes", package: "swift-nio-extras")
let nioHTTPTypesHTTP1 = Target.Dependency.product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras")
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")
let serviceLifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let unixSignals = Target.Dependency.product(name: "UnixSignals", package: "swift-service-lifecycle")
let yams = Target.Dependency.product(name: "Yams", package: "Yams")
let x509 = Target.Dependency.product(name: "X509", package: "swift-certificates")

let package = Package(
    name: "subledger",
    products: [
        .executable(name: "subledger", targets: ["subledger"]),
        .executable(name: "subledger-fold", targets: ["subledger-fold"]),
        .library(name: "DiskShim", type: .dynamic, targets: ["DiskShim"]),
    ],
    traits: [
        .default(enabledTraits: ["PostgreSQL"]),
        .trait(name: "PostgreSQL", description: "Exports to PostgreSQL, through libpq."),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-asn1", from: "1.7.4"),
        .package(url: "https://github.com/apple/swift-certificates", from: "1.21.1"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/vapor/jwt-kit", from: "5.7.1"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
    ],
    targets: [
        // Values and encodings that everything else needs. Pure, as are the four after it.
        .target(name: "Primitives", dependencies: [crypto], swiftSettings: settings),
        .target(name: "AppStoreModel", dependencies: ["Primitives"], swiftSettings: settings),
        .target(
            name: "LedgerModel", dependencies: ["Primitives", "AppStoreModel"],
            swiftSettings: settings + [.enableExperimentalFeature("Lifetimes")]),
        // The files of exports: rows of tables as CSV, JSON Lines and Parquet. Pure.
        .target(name: "TableFiles", dependencies: ["Primitives"], swiftSettings: settings),
        // The wire forms of every answer.
        .target(name: "LedgerAPI", dependencies: ["Primitives"], swiftSettings: settings),
        .target(
            name: "SubscriptionStatus", dependencies: ["Primitives", "AppStoreModel", "LedgerModel", "LedgerAPI"],
            path: "Projections/SubscriptionStatus", swiftSettings: settings
        ),
        .target(
            name: "ProductStates", dependencies: ["Primitives", "AppStoreModel", "LedgerModel", "SubscriptionStatus"],
            path: "Projections/ProductStates", swiftSettings: settings
        ),
        .target(
            name: "IntroOffers", dependencies: ["Primitives", "AppStoreModel", "LedgerModel", "SubscriptionStatus"],
            path: "Projections/IntroOffers", swiftSettings: settings
        ),
        // What retention, churn and revenue count: purchases, what they served, and renewals that failed.
        .target(
            name: "PaidService", dependencies: ["Primitives", "AppStoreModel", "LedgerModel", "SubscriptionStatus"],
            path: "Projections/PaidService", swiftSettings: settings
        ),
        .target(
            name: "Revenue",
            dependencies: ["Primitives", "AppStoreModel", "LedgerModel", "SubscriptionStatus", "PaidService"],
            path: "Projections/Revenue", swiftSettings: settings
        ),
        .target(
            name: "Churn", dependencies: ["Primitives", "LedgerModel", "SubscriptionStatus", "PaidService", "Revenue"],
            path: "Projections/Churn", swiftSettings: settings
        ),
        .target(
            name: "RetentionCohorts", dependencies: ["Primitives", "LedgerModel", "PaidService", "Revenue"],
            path: "Projections/RetentionCohorts", swiftSettings: settings
        ),
        // The numbers of all questions, and what moves them.
        .target(
            name: "Differences",
            dependencies: [
                "Primitives", "AppStoreModel", "LedgerModel", "SubscriptionStatus", "PaidService", "Revenue", "Churn",
                "RetentionCohorts",
            ],
            path: "Projections/Differences", swiftSettings: settings
        ),
        // When to ask Apple about a subscription.
        .target(
            name: "DuePolls", dependencies: ["Primitives", "AppStoreModel", "LedgerModel", "SubscriptionStatus"],
            path: "Projections/DuePolls", swiftSettings: settings
        ),
        // The tables of exports that are a pure function of facts, rules and an instant: their rows and sums.
        .target(
            name: "StateTables",
            dependencies: [
                "Primitives", "AppStoreModel", "LedgerModel", "LedgerAPI", "SubscriptionStatus", "PaidService",
                "Revenue", "Churn", "RetentionCohorts", "IntroOffers", "TableFiles",
            ],
            swiftSettings: settings
        ),
        // The files that carry facts to workers without a ledger, and the fold of them. Pure.
        .target(
            name: "FactSegments",
            dependencies: ["Primitives", "AppStoreModel", "LedgerModel", "StateTables", "TableFiles"],
            swiftSettings: settings
        ),
        // Folds such a file. It runs where nothing else is: no library, no /proc.
        .executableTarget(
            name: "subledger-fold", dependencies: ["Primitives", "FactSegments"],
            path: "Tools/subledger-fold", swiftSettings: settings,
            linkerSettings: [
                .unsafeFlags([
                    "-static-executable", "-use-ld=lld", "-Xlinker", "--wrap=swift_copyAuxiliaryExecutablePath",
                ]),
                // The modules of the dynamic libraries, with which all targets are compiled, do not name these.
                .linkedLibrary("_FoundationCollections"), .linkedLibrary("_FoundationCShims"),
                .linkedLibrary("swiftSynchronization"),
            ]
        ),
        .systemLibrary(name: "COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        // Signed messages in CMS and time stamps, read and verified by OpenSSL.
        .target(name: "CMS", dependencies: ["Primitives", "COpenSSL"], swiftSettings: settings),
        .target(
            name: "AppStoreVerification",
            dependencies: ["Primitives", "AppStoreModel", "CMS", crypto, swiftASN1, x509],
            swiftSettings: settings
        ),
        // Calls the App Store Server API.
        .target(
            name: "AppStoreClient",
            dependencies: ["Primitives", "AppStoreModel", asyncHTTPClient, crypto, jwtKit, nioCore, nioHTTP1],
            swiftSettings: settings
        ),
        .systemLibrary(name: "CLMDB", pkgConfig: "lmdb", providers: [.apt(["liblmdb-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .target(name: "LMDBFileFormat", dependencies: ["Primitives"], swiftSettings: settings + memorySettings),
        .target(
            name: "LMDB", dependencies: ["Primitives", "LMDBFileFormat", "CLMDB"],
            swiftSettings: settings + memorySettings),
        // The hash tree of RFC 6962, its tiles, proofs and signed checkpoints. Pure.
        .target(name: "TransparencyLog", dependencies: ["Primitives", crypto], swiftSettings: settings),
        .target(name: "LedgerStorage", dependencies: ["Primitives", "LMDB", crypto], swiftSettings: settings),
        .target(
            name: "HashIndex", dependencies: ["Primitives", "LMDB", "LedgerStorage"],
            swiftSettings: settings + [.enableExperimentalFeature("Lifetimes")]),
        .target(
            name: "EventLog",
            dependencies: [
                "Primitives", "TransparencyLog", "LMDBFileFormat", "LMDB", "LedgerStorage", "HashIndex", "CZlib",
            ],
            swiftSettings: settings
        ),
        .target(
            name: "FactStore",
            dependencies: [
                "Primitives", "AppStoreModel", "LedgerModel", "LMDB", "LedgerStorage", "HashIndex", "EventLog",
            ],
            swiftSettings: settings + [.enableExperimentalFeature("Lifetimes")]
        ),
        // Projections of all facts: rebuilt beside the stored ones, then swapped in.
        .target(
            name: "ProjectionRuntime",
            dependencies: [
                "Primitives", "AppStoreModel", "LedgerModel", "LedgerStorage", "FactStore", crypto,
                heapModule,
            ],
            swiftSettings: settings
        ),
        .target(
            name: "Ingestion",
            dependencies: [
                "Primitives", "AppStoreModel", "LedgerModel", "AppStoreVerification", "LedgerStorage", "EventLog",
                "FactStore",
            ],
            swiftSettings: settings
        ),
        .target(
            name: "SubscriptionLedger",
            dependencies: [
                "Primitives", "AppStoreModel", "LedgerModel", "SubscriptionStatus", "ProductStates", "IntroOffers",
                "PaidService", "Revenue", "RetentionCohorts", "Churn", "Differences", "DuePolls", "LedgerAPI",
                "CMS", "AppStoreVerification", "AppStoreClient", "TransparencyLog", "LedgerStorage", "EventLog",
                "FactStore", "ProjectionRuntime", "Ingestion", "LMDB", "LedgerConfiguration", asyncHTTPClient, crypto,
                heapModule,
            ],
            swiftSettings: settings
        ),
        .target(
            name: "LedgerConfiguration",
            dependencies: ["Primitives", "AppStoreModel", "LedgerModel", "TransparencyLog", "LedgerStorage", yams],
            swiftSettings: settings
        ),
        // Objects in buckets of S3 and compatible services.
        .target(
            name: "ObjectStorage", dependencies: ["Primitives", asyncHTTPClient, crypto, nioCore, nioHTTP1],
            swiftSettings: settings),
        .systemLibrary(name: "CLibPQ", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        // Connections to databases. Without its trait it needs no libpq, and refuses them.
        .target(
            name: "PostgreSQL",
            dependencies: ["Primitives", .target(name: "CLibPQ", condition: .when(traits: ["PostgreSQL"]))],
            swiftSettings: settings),
        // Tables for warehouses, exported to files and databases.
        .target(
            name: "Exports",
            dependencies: [
                "Primitives", "AppStoreModel", "LedgerModel", "Differences", "FactSegments", "LedgerAPI",
                "LedgerConfiguration", "LedgerStorage", "ObjectStorage", "PostgreSQL", "ProjectionRuntime",
                "StateTables",
                "SubscriptionLedger", "TableFiles", crypto,
            ],
            swiftSettings: settings
        ),
        // Servers of HTTP that may be stopped while clients connect.
        .target(
            name: "HTTPConnections", dependencies: [hummingbirdCore, logging, nioCore], swiftSettings: settings),
        .target(
            name: "LedgerServer",
            dependencies: [
                "Primitives", "AppStoreModel", "LedgerModel", "AppStoreVerification", "LedgerAPI", "TransparencyLog",
                "LedgerStorage", "Ingestion",
                "SubscriptionLedger", "SubscriptionStatus", "PaidService", "Revenue", "Churn", "LedgerConfiguration",
                "HTTPConnections", "Exports", crypto, hummingbird, hummingbirdCore,
                httpTypes, logging, nioCore, nioHTTPTypes, nioPosix, serviceLifecycle, unixSignals,
            ],
            resources: [.embedInCode("openapi.yaml")], swiftSettings: settings
        ),
        .executableTarget(
            name: "subledger",
            dependencies: [
                "Primitives", "AppStoreModel", "LedgerModel", "AppStoreVerification", "LedgerAPI", "TransparencyLog",
                "DuePolls", "LedgerStorage", "ProjectionRuntime", "Ingestion", "SubscriptionLedger",
                "SubscriptionStatus",
                "PaidService", "Revenue", "Churn", "LedgerConfiguration", "LedgerServer", "AppStoreSimulation",
                "Exports", "ObjectStorage", "PostgreSQL",
                "TableFiles", crypto,
                argumentParser, asyncHTTPClient, httpTypes, logging, nioCore, nioHTTP1, nioHTTPTypes,
                nioHTTPTypesHTTP1, nioPosix,
            ],
            path: "Tools/subledger", swiftSettings: settings
        ),
        .target(
            name: "AppStoreSimulation",
            dependencies: ["Primitives", "AppStoreModel", crypto, cryptoExtras, swiftASN1, x509],
            path: "Tools/AppStoreSimulation", swiftSettings: settings
        ),
        // Serves a simulated App Store over HTTP.
        .target(
            name: "AppStoreSimulator",
            dependencies: [
                "Primitives", "AppStoreModel", "AppStoreSimulation", "HTTPConnections", asyncHTTPClient, crypto,
                httpTypes, hummingbird, jwtKit, logging, nioCore, nioHTTP1, nioHTTPTypes, serviceLifecycle,
            ],
            path: "Tools/AppStoreSimulator", swiftSettings: settings
        ),
        .executableTarget(
            name: "appstore-simulator",
            dependencies: [
                "Primitives", "AppStoreModel", "AppStoreSimulation", "AppStoreSimulator", argumentParser,
                asyncHTTPClient, hummingbird, logging, serviceLifecycle, unixSignals,
            ],
            path: "Tools/appstore-simulator", swiftSettings: settings
        ),
        .executableTarget(
            name: "Benchmarks",
            dependencies: [
                "Primitives", "AppStoreModel", "LedgerModel", "SubscriptionStatus", "PaidService",
                "Revenue", "RetentionCohorts", "Churn", "AppStoreVerification", "LedgerAPI",
                "TransparencyLog", "LedgerStorage", "EventLog", "FactStore", "ProjectionRuntime", "Ingestion",
                "SubscriptionLedger", "LedgerConfiguration", "LedgerServer", "Exports", "TableFiles",
                "AppStoreSimulation", "AppStoreSimulator", crypto, cryptoExtras, argumentParser, asyncHTTPClient,
                hummingbird, httpTypes, logging,
            ],
            path: "Tools/Benchmarks", swiftSettings: settings
        ),
        // Tests, and what only they use.
        .target(
            name: "LedgerTesting",
            dependencies: ["Primitives", "AppStoreModel", "LedgerModel", "LedgerStorage", "AppStoreSimulation"],
            path: "Tests/LedgerTesting", swiftSettings: settings
        ),
        .target(name: "DiskShim", path: "Tests/DiskShim"),
        .executableTarget(
            name: "crash-writer",
            dependencies: [
                "Primitives", "LMDB", "TransparencyLog", "LedgerStorage", "EventLog", "AppStoreVerification",
                "LedgerAPI", "FactStore", "SubscriptionLedger", "AppStoreSimulation", argumentParser,
            ],
            path: "Tests/CrashWriter", swiftSettings: settings
        ),
        .testTarget(
            name: "PrimitivesTests", dependencies: ["Primitives", "AppStoreSimulation", "LedgerTesting"],
            swiftSettings: settings),
        .testTarget(
            name: "AppStoreModelTests", dependencies: ["Primitives", "AppStoreModel", "LedgerTesting"],
            swiftSettings: settings),
        .testTarget(
            name: "LedgerModelTests", dependencies: ["Primitives", "AppStoreModel", "LedgerModel", "LedgerTesting"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "TableFilesTests", dependencies: ["Primitives", "TableFiles", "LedgerTesting"],
            exclude: ["Peers"], swiftSettings: testSettings
        ),
        .testTarget(
            name: "FactSegmentsTests",
            dependencies: [
                "Primitives", "AppStoreModel", "LedgerModel", "FactSegments", "StateTables", "TableFiles",
                "AppStoreSimulation", "LedgerConfiguration", "LedgerTesting",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "SubscriptionStatusTests",
            dependencies: ["Primitives", "AppStoreModel", "LedgerModel", "SubscriptionStatus", "LedgerTesting"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "IntroOffersTests",
            dependencies: [
                "Primitives", "AppStoreModel", "LedgerModel", "SubscriptionStatus", "IntroOffers", "AppStoreSimulation",
                "LedgerTesting",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "ProductStatesTests",
            dependencies: [
                "Primitives", "AppStoreModel", "LedgerModel", "SubscriptionStatus", "ProductStates",
                "AppStoreSimulation", "LedgerTesting",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "RevenueTests",
            dependencies: [
                "Primitives", "AppStoreModel", "LedgerModel", "PaidService", "Revenue", "AppStoreSimulation",
                "LedgerTesting",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "DuePollsTests",
            dependencies: ["Primitives", "AppStoreModel", "LedgerModel", "DuePolls", "LedgerTesting"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "ChurnTests",
            dependencies: [
                "Primitives", "AppStoreModel", "LedgerModel", "PaidService", "Churn", "AppStoreSimulation",
                "LedgerTesting",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "RetentionCohortsTests",
            dependencies: [
                "Primitives", "AppStoreModel", "LedgerModel", "PaidService", "Revenue", "RetentionCohorts",
                "AppStoreSimulation", "LedgerTesting",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "DifferencesTests", dependencies: ["Primitives", "LedgerModel", "Differences", "LedgerTesting"],
            swiftSettings: settings),
        .testTarget(
            name: "AppStoreVerificationTests",
            dependencies: [
                "Primitives", "AppStoreModel", "AppStoreVerification", "AppStoreSimulation", "Ingestion",
                "LedgerTesting", crypto, cryptoExtras, swiftASN1, x509,
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "AppStoreSimulationTests",
            dependencies: ["Primitives", "AppStoreModel", "AppStoreSimulation", crypto, swiftASN1, x509],
            swiftSettings: settings
        ),
        .testTarget(
            name: "AppStoreClientTests",
            dependencies: [
                "Primitives", "AppStoreModel", "AppStoreClient", "AppStoreSimulation", "AppStoreSimulator",
                "HTTPConnections", "LedgerTesting",
                asyncHTTPClient, crypto, httpTypes, hummingbird, hummingbirdTesting, logging, nioCore,
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "ObjectStorageTests",
            dependencies: [
                "Primitives", "ObjectStorage", "HTTPConnections", asyncHTTPClient, httpTypes, hummingbird,
                hummingbirdTesting, logging, nioCore,
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "PostgreSQLTests", dependencies: ["Primitives", "PostgreSQL"], swiftSettings: settings),
        .testTarget(
            name: "AppStoreSimulatorTests",
            dependencies: [
                "Primitives", "AppStoreModel", "AppStoreSimulation", "AppStoreSimulator", "LedgerTesting",
                asyncHTTPClient, crypto, httpTypes, hummingbird, hummingbirdTesting, jwtKit, logging, nioCore,
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "TransparencyLogTests", dependencies: ["Primitives", "TransparencyLog", "LedgerTesting", crypto],
            swiftSettings: settings),
        .testTarget(
            name: "LedgerStorageTests",
            dependencies: ["Primitives", "LedgerStorage", "AppStoreSimulation", "LedgerTesting"],
            swiftSettings: settings),
        .testTarget(
            name: "HashIndexTests", dependencies: ["Primitives", "LMDB", "HashIndex", "LedgerTesting"],
            swiftSettings: settings),
        .testTarget(
            name: "LMDBTests", dependencies: ["Primitives", "LMDBFileFormat", "LMDB", "LedgerTesting"],
            swiftSettings: settings + [.enableExperimentalFeature("Lifetimes")]
        ),
        .testTarget(
            name: "EventLogTests",
            dependencies: [
                "Primitives", "LMDB", "TransparencyLog", "LedgerStorage", "HashIndex", "EventLog", "LedgerTesting",
            ],
            swiftSettings: testSettings),
        .testTarget(
            name: "FactStoreTests",
            dependencies: [
                "Primitives", "AppStoreModel", "LedgerModel", "LMDB", "TransparencyLog", "LedgerStorage", "EventLog",
                "FactStore", "LedgerTesting",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "ProjectionRuntimeTests",
            dependencies: [
                "Primitives", "AppStoreModel", "LedgerModel", "SubscriptionStatus", "LedgerStorage", "EventLog",
                "FactStore", "ProjectionRuntime", "LedgerTesting",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "SubscriptionLedgerTests",
            dependencies: [
                "Primitives", "AppStoreModel", "LedgerModel", "SubscriptionStatus", "LedgerAPI", "AppStoreVerification",
                "LMDB", "TransparencyLog", "LedgerStorage", "EventLog", "FactStore", "ProjectionRuntime", "Ingestion",
                "SubscriptionLedger", "LedgerConfiguration", "PaidService", "Revenue", "Churn", "DuePolls",
                "AppStoreClient", "AppStoreSimulation", "LedgerTesting",
            ],
            swiftSettings: testSettings
        ),
        .testTarget(
            name: "AcceptanceTests",
            dependencies: [
                "Primitives", "LMDBFileFormat", "LMDB", "TransparencyLog", "LedgerStorage", "EventLog",
                "AppStoreModel", "LedgerModel", "SubscriptionStatus", "PaidService", "Revenue", "RetentionCohorts",
                "Churn", "CMS", "AppStoreVerification", "LedgerAPI", "FactStore", "SubscriptionLedger",
                "AppStoreSimulation", "LedgerConfiguration", "Exports", "FactSegments", "TableFiles", "ObjectStorage",
                "PostgreSQL", "LedgerTesting", "crash-writer",
                "subledger", "appstore-simulator", asyncHTTPClient,
            ],
            exclude: [
                "Anchors/authority.sh", "Bundles/bundle_zip.py", "Bundles/check-bundle.py",
                "Bundles/flip-bundle.py", "Bundles/hostile-zip.py", "Bundles/witness.py", "OpenSSL/judge.sh",
                "AppleLibrary/exercise.py", "DuckDB/run.py",
                "DuckDB/retention.sql", "DuckDB/own-grace.sql", "Exports/answers.py", "Exports/bucket.py",
                "Erasure/scan.py", "Exports/database.py", "Exports/spark.py", "Exports/warehouse.py",
                "Warehouse/answers.py", "Warehouse/check.py", "Warehouse/customers.py", "Warehouse/warehouses.py",
            ],
            swiftSettings: testSettings
        ),
        .testTarget(
            name: "LedgerConfigurationTests",
            dependencies: [
                "Primitives", "AppStoreModel", "LedgerModel", "LedgerStorage", "LedgerConfiguration", "LedgerTesting",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "HTTPConnectionsTests",
            dependencies: ["HTTPConnections", hummingbird, logging, nioCore, nioPosix, serviceLifecycle],
            swiftSettings: testSettings
        ),
        .testTarget(
            name: "LedgerServerTests",
            dependencies: [
                "Primitives", "AppStoreModel", "LedgerAPI", "AppStoreVerification", "AppStoreSimulation",
                "AppStoreClient", "DuePolls", "TransparencyLog", "LedgerStorage", "EventLog", "SubscriptionLedger",
                "LedgerConfiguration", "LedgerServer", crypto, hummingbird, hummingbirdTesting, httpTypes, logging,
                nioCore, nioEmbedded,
                nioHTTPTypes, nioPosix, serviceLifecycle, yams,
            ],
            swiftSettings: testSettings
        ),
    ]
)

// The fuzzer is instrumented throughout, so it is a build of its own: `Tools/test --long`.
if isFuzzing {
    package.targets += [
        .systemLibrary(name: "CLibFuzzer", path: "Tools/Fuzz/CLibFuzzer"),
        .executableTarget(
            name: "Fuzz", dependencies: ["CLibFuzzer", "Primitives", "AppStoreVerification", "AppStoreSimulation"],
            path: "Tools/Fuzz/Fuzz", swiftSettings: settings,
            linkerSettings: [.unsafeFlags(["-sanitize=fuzzer", "-use-ld=lld"])]
        ),
    ]
}
