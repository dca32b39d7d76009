@testable import ProxyConfiguration

/// Any bytes as a configuration file.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzConfiguration(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = fuzzInput(start, count)
    do throws(ConfigurationError) {
        let configuration = try load(bytes)
        require(!configuration.listeners.isEmpty, "a configuration that listens nowhere")
        requirePlain(ConfigurationSummary(configuration).description, "the summary")
        for warning in configuration.warnings { requirePlace(of: warning, in: bytes) }
        requireHiddenSecrets(of: configuration, in: bytes)
    } catch {
        require(!error.problems.isEmpty, "a refusal without a problem")
        for problem in error.problems {
            requirePlace(of: problem, in: bytes)
            requirePlain(problem.description, "a problem")
        }
        requireHiddenCanary(bytes, error)
    }
    return 0
}

func load(_ bytes: [UInt8]) throws(ConfigurationError) -> Configuration {
    var flags = Flags()
    flags.configurationFile = "a.yaml"
    let environment = ["API_KEY": "environment-secret", "EMPTY": ""]
    return try Configuration.load(flags: flags, environment: environment, files: FewFiles(configuration: bytes))
}

/// Each problem names a place that the file has, or the setting.
private func requirePlace(of problem: Problem, in bytes: [UInt8]) {
    require(!problem.message.isEmpty, "a problem without a message")
    require(problem.file != nil || problem.path != nil, "a problem without a place: \(problem.message)")
    guard let line = problem.line, let column = problem.column else {
        require(problem.line == nil && problem.column == nil, "half a position")
        return
    }
    // A line ends at LF, CR, or one of Unicode's three others, all of which libyaml knows.
    let breaks = bytes.count { $0 == 10 || $0 == 13 || $0 == 0x85 || $0 == 0xa8 || $0 == 0xa9 }
    require((1...breaks + 2).contains(line), "line \(line) of a file with \(breaks + 1)")
    require((1...bytes.count + 2).contains(column), "column \(column) in a file of \(bytes.count) bytes")
}

/// What a terminal shows holds nothing that would steer it.
private func requirePlain(_ text: String, _ what: String) {
    require(
        text.unicodeScalars.allSatisfy { ($0.value >= 0x20 && !(0x7f...0x9f).contains($0.value)) || $0 == "\n" },
        "\(what) contains a control character")
}
