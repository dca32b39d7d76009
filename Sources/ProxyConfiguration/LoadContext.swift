/// What the sections of a configuration share while it is read: the problems found so far and the world around.
///
/// Confined to the call that loads.
final class LoadContext {
    let problems = ProblemList()
    let warnings = ProblemList()
    let files: any FileReader
    let environment: [String: String]
    /// Now, in seconds since 1970.
    let unixTime: Int64
    /// Looked for at the first use, since most configurations need none and a broken one is then nobody's fault.
    private(set) lazy var boundService = BoundService.find(in: environment, problems)

    init(files: any FileReader, environment: [String: String], unixTime: Int64? = nil) {
        self.files = files
        self.unixTime = unixTime ?? WallClock.now
        self.environment = environment
    }

    /// Reads a file that a setting names, and reports it if that fails.
    ///
    /// The path is quoted where it begins with a folder that exists, as it may be a secret that was written in its place.
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
