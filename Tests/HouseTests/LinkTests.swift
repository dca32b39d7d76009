import Testing

/// The pure modules cannot do I/O because nothing that does I/O is linked into them: neither libevent, nor OpenSSL's
/// TLS, nor full Foundation with its megabytes of Unicode tables.
@Suite("Libraries of the pure modules")
struct LinkTests {
    private static let languageRuntime: Set<String> = [
        "-lswiftCore", "-lswiftSwiftOnoneSupport", "-lswift_Concurrency", "-lswift_StringProcessing",
        "-lswift_RegexParser", "-lswiftSynchronization", "-lswift_Builtin_float",
    ]
    private static let essentials: Set<String> = [
        "-lFoundationEssentials", "-l_FoundationCShims", "-l_FoundationCollections", "-lswiftGlibc", "-lm", "-lpthread",
        "-lutil", "-ldl",
    ]
    private static let foreignPrefixes = ["event_", "evbuffer_", "evutil_", "ares_", "SSL_", "EVP_", "BIO_", "X509_"]

    @Test("HTTPWire and ProxyCore link only the language's runtime", arguments: ["HTTPWire", "ProxyCore"])
    func pureModule(name: String) {
        let module = BuiltModule(name)
        #expect(!module.objects.isEmpty, "no object file of \(name) beside the test executable")
        for object in module.objects {
            #expect(Set(object.autolinkEntries).subtracting(Self.languageRuntime).isEmpty)
            #expect(Self.foreignSymbols(of: object).isEmpty)
        }
    }

    @Test("TokenManager links FoundationEssentials, but no more of Foundation, libevent or OpenSSL")
    func tokenManager() {
        let allowed = Self.languageRuntime.union(Self.essentials)
        let module = BuiltModule("TokenManager")
        #expect(!module.objects.isEmpty, "no object file of TokenManager beside the test executable")
        for object in module.objects {
            #expect(Set(object.autolinkEntries).subtracting(allowed).isEmpty)
            #expect(Self.foreignSymbols(of: object).isEmpty)
        }
    }

    @Test("No module of the product links full Foundation")
    func noFoundation() {
        for name in Set(SourceFile.shipped.map(\.module)) {
            for object in BuiltModule(name).objects {
                #expect(!object.autolinkEntries.contains("-lFoundation"), "\(name)")
                #expect(!object.autolinkEntries.contains("-lFoundationInternationalization"), "\(name)")
            }
        }
    }

    private static func foreignSymbols(of object: ObjectFile) -> [String] {
        object.undefinedSymbols.filter { symbol in foreignPrefixes.contains { symbol.hasPrefix($0) } }
    }
}
