import ProxyCore

/// The shared state of all readers of a configuration: the problems so far, the files, the environment and the time.
///
/// Confined to the call that loads.
final class LoadContext {
    let problems = ProblemList()
    let warnings = WarningList()
    private(set) var fileChecks: [FileCheck] = []
    let files: any FileReader
    let environment: [String: String]
    /// The current time in seconds since 1970.
    let unixTime: Int64
    /// Read at the first use, so that invalid variables are a problem only for configurations that use them.
    private(set) lazy var boundService = BoundService.find(in: environment, problems)

    init(files: any FileReader, environment: [String: String], unixTime: Int64? = nil) {
        self.files = files
        self.unixTime = unixTime ?? WallClock.now
        self.environment = environment
    }

    /// Checks a file, and adds a warning if it deserves one; a running process makes the check again.
    func check(_ code: FindingCode, _ place: Place, _ look: @escaping FileCheck.Look) {
        let check = FileCheck(code, place, files, look)
        if let warning = check.warning { warnings.add(warning) }
        fileChecks.append(check)
    }

    /// Reads a file that a setting names, and reports a failure.
    ///
    /// The message quotes the path only if its first folder exists; another text may be a secret.
    func read(_ path: String, limit: Int, for place: Place) -> [UInt8]? {
        do throws(FileError) {
            return try files.read(path, limit: limit)
        } catch {
            let found = isBelowFolder(path) ? ValueQuotation.suffix(path) : ""
            problems.add(place, "the file it names: \(error.message); correct the path or the file\(found)")
            return nil
        }
    }

    /// Whether a text is an absolute path that begins with a folder of the root.
    func isBelowFolder(_ text: String) -> Bool {
        let parts = text.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
        return parts.count == 3 && parts[0].isEmpty && !parts[1].isEmpty && files.isFolder("/\(parts[1])")
    }
}
