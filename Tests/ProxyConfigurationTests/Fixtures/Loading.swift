import ProxyConfiguration

/// Loads a configuration file that consists of `text`.
func load(
    _ text: String, environment: [String: String] = [:], flags: Flags = Flags(), unixTime: Int64? = nil
) throws(ConfigurationError) -> Configuration {
    try load(bytes: Array(text.utf8), environment: environment, flags: flags, unixTime: unixTime)
}

func load(
    bytes: [UInt8], environment: [String: String] = [:], flags: Flags = Flags(), unixTime: Int64? = nil
) throws(ConfigurationError) -> Configuration {
    var files = FakeFiles.usual
    files.files["a.yaml"] = bytes
    var flags = flags
    flags.configurationFile = "a.yaml"
    return try Configuration.load(flags: flags, environment: environment, files: files, unixTime: unixTime)
}

/// The problems of a configuration file, one text each; empty if it is in order.
func problems(_ text: String, environment: [String: String] = [:], flags: Flags = Flags()) -> [String] {
    do throws(ConfigurationError) {
        _ = try load(text, environment: environment, flags: flags)
        return []
    } catch {
        return error.problems.map(\.description)
    }
}

/// Loads without a file.
func start(_ flags: Flags = Flags(), _ environment: [String: String] = [:]) throws(ConfigurationError) -> Configuration
{
    try Configuration.load(flags: flags, environment: environment, files: FakeFiles.usual)
}

func startProblems(_ flags: Flags = Flags(), _ environment: [String: String] = [:]) -> [String] {
    do throws(ConfigurationError) {
        _ = try start(flags, environment)
        return []
    } catch {
        return error.problems.map(\.description)
    }
}
