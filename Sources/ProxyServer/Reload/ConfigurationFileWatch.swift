import EventTransport
import Signing

/// Finds out from repeated looks at a file whether it is time to load it again.
///
/// It knows no clock and looks at no file itself; `FoundVersion` does.
struct ConfigurationFileWatch {
    /// After so many looks, a version that was refused is loaded again: another file that it needs may be there by then.
    ///
    /// A file that was missing for so many looks is loaded too, which reports it.
    static let looksPerRetry = 10

    /// The version that was loaded last, whether or not it was usable.
    private var loaded: FileVersion
    /// Another version, found by the last look, and how many looks in a row found it.
    private var changed: (version: FileVersion, looks: Int)?
    /// The looks since the loaded version was refused; nil if it is in force.
    private var looksSinceRefusal: Int?

    /// - Parameter loaded: The version of the start.
    init(loaded: FileVersion) { self.loaded = loaded }

    /// The version that a load read.
    mutating func loaded(_ version: FileVersion) { (loaded, changed, looksSinceRefusal) = (version, nil, nil) }

    /// The version that the last load read is unusable for now.
    mutating func refused() { looksSinceRefusal = 0 }

    /// The version whose change is awaited; nil while a refused version waits for its retry.
    var current: FileVersion? { looksSinceRefusal == nil ? loaded : nil }

    /// What follows a look.
    enum LookedAction: Equatable {
        /// Load it: two looks in a row found the same new version, the file was missing for ten, or a retry is due.
        case load
        /// Look again in a second.
        case lookAgain
        /// This version is in force; look again after a change.
        case awaitChange
    }

    /// A look found this version.
    mutating func looked(_ version: FileVersion) -> LookedAction {
        guard version == loaded else {
            let looks = version == changed?.version ? (changed?.looks ?? 0) + 1 : 1
            changed = (version, looks)
            // A file may be missing for a moment while it is replaced.
            return looks >= (version == .missing ? Self.looksPerRetry : 2) ? .load : .lookAgain
        }
        changed = nil
        guard let looks = looksSinceRefusal else { return .awaitChange }
        looksSinceRefusal = (looks + 1) % Self.looksPerRetry
        return looksSinceRefusal == 0 ? .load : .lookAgain
    }
}

/// The version of the file that a look found.
struct FoundVersion: Sendable {
    let version: FileVersion
    /// Nil unless it is the version whose change is awaited.
    ///
    /// Collected from before the look, so that no later change is missed.
    let notices: FileNotices?

    /// Looks at the file; the call may wait for a file system.
    init(of file: String, awaiting current: FileVersion?) {
        let version = FileVersion(of: file)
        guard version == current else {
            (self.version, notices) = (version, nil)
            return
        }
        notices = FileNotices(of: file) { FileThreads.shared.submit($0) }
        self.version = FileVersion(of: file)
    }
}
