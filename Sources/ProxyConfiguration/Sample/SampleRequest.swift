package import TokenManager

/// What a person says in place of a request, for a credential whose token depends on one.
///
/// Made from the command line by whoever fetches a token by hand; it refuses what the credential does not ask for, since
/// an option without effect is one that somebody relies on.
package struct SampleRequest: Equatable, Sendable {
    /// The host that the request would go to.
    package var host: String?
    /// Fields as `X-Tenant: north`.
    package var fields: [String] = []
    /// Files with such a field in each line; `-` is standard input.
    package var fieldFiles: [String] = []

    /// The options that say it.
    package static let options = "\(SampleReading.host), \(SampleReading.field) or \(SampleReading.fieldFile)"

    package init() {}

    /// What a credential wants to know of a request.
    ///
    /// - Parameters:
    ///   - name: One of the configuration's credentials.
    ///   - configuration: Has it.
    ///   - files: The way to the file system.
    ///   - input: Reads standard input; called at most once.
    /// - Returns: Exactly the credential's parameters.
    /// - Throws: All problems at once, each with the option to add, correct or leave out.
    package func parameters(
        for name: String, of configuration: Configuration, files: any FileReader = SystemFileReader(),
        input: () -> [UInt8]
    ) throws(ConfigurationError) -> RequestParameters {
        guard let credential = configuration.credentials.first(where: { $0.name == name }) else {
            preconditionFailure("a request for no credential is read")
        }
        var reading = SampleReading(credential)
        if let host { reading.read(host: host) }
        for (index, field) in fields.enumerated() {
            let option = Place(path: SampleReading.field)
            reading.read(field: field, at: fields.count == 1 ? option : option.item(index), isArgument: true)
        }
        for path in fieldFiles {
            if path == "-" {
                reading.read(file: input(), path)
                continue
            }
            do throws(FileError) {
                reading.read(file: try files.read(path, limit: SampleReading.longestFile), path)
            } catch {
                reading.refuse(path, error.message)
            }
        }
        return try reading.finish()
    }
}
