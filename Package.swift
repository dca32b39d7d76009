// swift-tools-version: 6.2
import PackageDescription

let language: [SwiftSetting] = [
    .swiftLanguageMode(.v6), .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"), .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"), .enableUpcomingFeature("ImmutableWeakCaptures"),
]
let strict = language + [.strictMemorySafety()]

let logging = Target.Dependency.product(name: "Logging", package: "swift-log")

// The build system caches what it learns from Git, so the commit comes from the environment.
let commit = Context.environment["ATTACHE_COMMIT"].map { [CSetting.define("ATTACHE_COMMIT", to: "\"\($0)\"")] }

let package = Package(
    name: "attache",
    products: [
        .executable(name: "attache", targets: ["attache"]),
        .library(name: "TokenManager", targets: ["TokenManager"]),
        .library(name: "TokenClient", targets: ["TokenClient"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
    ],
    targets: [
        // The C libraries, and shims for what Swift cannot import from them.
        .systemLibrary(name: "CAres", pkgConfig: "libcares", providers: [.apt(["libc-ares-dev"])]),
        .systemLibrary(name: "CLibevent", pkgConfig: "libevent_core", providers: [.apt(["libevent-dev"])]),
        .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
        .target(name: "CYAML", linkerSettings: [.linkedLibrary("yaml")]),
        .target(name: "CBuild", cSettings: commit ?? []),
        .target(name: "CByteScan"),

        // A target may import what stands above it, as far as its dependencies say.
        .target(name: "Locking", swiftSettings: strict),
        .target(
            name: "EventTransport", dependencies: ["CAres", "CBuild", "CLibevent", "COpenSSL", "Locking"],
            swiftSettings: strict),
        .target(name: "Signing", dependencies: ["COpenSSL", "Locking"], swiftSettings: strict),
        .target(name: "HTTPWire", dependencies: ["CByteScan"], swiftSettings: strict),
        .target(name: "TokenManager", dependencies: ["Locking", "Signing", "HTTPWire"], swiftSettings: strict),
        .target(
            name: "TokenClient", dependencies: ["EventTransport", "Signing", "HTTPWire", "TokenManager"],
            swiftSettings: strict),
        .target(name: "ProxyCore", dependencies: ["HTTPWire", "TokenManager"], swiftSettings: strict),
        .target(
            name: "ProxyConfiguration", dependencies: ["CYAML", "HTTPWire", "TokenManager", "ProxyCore"],
            swiftSettings: strict),
        .target(
            name: "ProxyServer",
            dependencies: [
                "Locking", "EventTransport", "Signing", "HTTPWire", "TokenManager", "TokenClient", "ProxyCore",
                "ProxyConfiguration",
                logging,
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "attache",
            dependencies: [
                "ProxyServer", "ProxyConfiguration", logging,
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict),

        .target(
            name: "Support", dependencies: ["COpenSSL"], path: "Tests/Support", swiftSettings: language),
        .target(
            name: "Vectors", dependencies: ["HTTPWire"], path: "Tests/Vectors", exclude: ["Cases", "README.md"],
            swiftSettings: language),
        .executableTarget(
            name: "Verdicts", dependencies: ["HTTPWire", "Vectors"], path: "Tests/Differential/Verdicts",
            swiftSettings: language),
        .testTarget(
            name: "EventTransportTests", dependencies: ["EventTransport", "Support"], swiftSettings: language),
        .testTarget(name: "SigningTests", dependencies: ["Signing", "Locking", "Support"], swiftSettings: language),
        .testTarget(
            name: "HTTPWireTests", dependencies: ["HTTPWire", "Support", "Vectors"], swiftSettings: language),
        .testTarget(
            name: "TokenManagerTests", dependencies: ["TokenManager", "Locking", "Signing", "Support"],
            swiftSettings: language),
        .testTarget(
            name: "TokenClientTests", dependencies: ["TokenClient", "TokenManager", "Support"],
            swiftSettings: language),
        .testTarget(
            name: "ProxyCoreTests", dependencies: ["ProxyCore", "HTTPWire", "TokenManager", "Support", "Vectors"],
            swiftSettings: language),
        .testTarget(
            name: "ProxyConfigurationTests",
            dependencies: ["ProxyConfiguration", "ProxyCore", "HTTPWire", "TokenManager", "Support"],
            exclude: ["File/Golden"],
            swiftSettings: language),
        .testTarget(
            name: "ProxyServerTests",
            dependencies: [
                "Locking", "EventTransport", "HTTPWire", "ProxyServer", "ProxyConfiguration", "TokenManager",
                "ProxyCore",
                "Support",
                logging,
            ],
            exclude: ["Executable/Golden"],
            swiftSettings: language),
        .testTarget(name: "HouseTests", dependencies: ["attache"], swiftSettings: language),
    ],
    cLanguageStandard: .c17
)
