private import CAres
private import CBuild
private import CLibevent
private import COpenSSL

/// The program's version, its commit, and the versions of the compiler and the libraries.
package struct BuildIdentity: Sendable {
    /// One part with its version, in the order in which it is printed.
    package struct Part: Sendable, Equatable {
        package let name: String
        package let version: String
    }

    package let parts: [Part]

    /// - Parameter version: The version of the program.
    package init(version: String) {
        parts = [
            Part(name: "version", version: version), Part(name: "commit", version: Self.commit),
            Part(name: "swift", version: Self.swift), Part(name: "libevent", version: Self.libevent),
            Part(name: "openssl", version: Self.openSSL), Part(name: "c_ares", version: Self.cAres),
        ]
    }

    /// ATTACHE_COMMIT from the build's environment: the build system caches what it reads from Git, and would report
    /// an old commit.
    private static var commit: String {
        // SAFETY: a literal of the C module.
        let commit = unsafe String(cString: attache_build_commit())
        return commit.isEmpty ? "unknown" : commit
    }

    /// The compiler's version, as far as the language tells it to a program.
    private static var swift: String {
        #if compiler(>=6.4)
            "6.4 or later"
        #elseif compiler(>=6.3)
            "6.3"
        #else
            "6.2"
        #endif
    }

    /// The version of the loaded library, not of the headers that it was built with.
    private static var libevent: String {
        // SAFETY: a literal of the library, which lives as long as the process.
        unsafe event_get_version().map { unsafe String(cString: $0) } ?? "unknown"
    }

    /// The version of the loaded OpenSSL.
    private static var openSSL: String {
        // SAFETY: a literal of the library, which lives as long as the process.
        unsafe OpenSSL_version(OPENSSL_FULL_VERSION_STRING).map { unsafe String(cString: $0) } ?? "unknown"
    }

    /// The version of the loaded c-ares.
    private static var cAres: String {
        // SAFETY: a literal of the library, which lives as long as the process.
        unsafe ares_version(nil).map { unsafe String(cString: $0) } ?? "unknown"
    }
}
