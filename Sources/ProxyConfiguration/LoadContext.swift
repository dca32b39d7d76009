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
    func read(_ path: String, limit: Int, for place: Place) -> [UInt8]? {
        do throws(FileError) {
            return try files.read(path, limit: limit)
        } catch {
            problems.add(place, "the file it names: \(error.message); correct the path or the file")
            return nil
        }
    }
}
