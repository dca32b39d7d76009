import Glibc

/// The versions of files at a look, which say whether the files have to be read again.
package struct FileStamp: Equatable, Sendable {
    /// The times of a file system may be as coarse as this, in seconds, as on FAT.
    private static let coarsestTime = 2

    private let versions: [FileVersion]
    /// Whether a later change would show.
    ///
    /// A file that changed just before the look may change again and keep its version.
    private let isSettled: Bool

    /// The files of now, by default at the current time, in seconds since 1970; the call may wait for a file system.
    package init(of paths: [String], at unixTime: Int? = nil) {
        let versions = paths.map { FileVersion(of: $0) }
        // Behind the looks, which may take long.
        self.init(versions, at: unixTime ?? time(nil))
    }

    init(_ versions: [FileVersion], at unixTime: Int) {
        self.versions = versions
        isSettled = versions.allSatisfy { version in
            switch version {
            case .missing: true
            case .found(let modified, let changed, _, _, _):
                [modified, changed].allSatisfy { abs(unixTime - $0.seconds) > Self.coarsestTime }
            }
        }
    }

    /// Whether the files hold what a read behind the look `old` has found.
    package func isUnchanged(since old: FileStamp) -> Bool { old.isSettled && old.versions == versions }
}
