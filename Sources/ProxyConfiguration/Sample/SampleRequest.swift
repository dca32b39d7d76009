package import TokenManager

/// The options of `attache token` that describe a request, for a credential whose token depends on one.
///
/// Options that the credential does not use are refused, because the user expects them to have an effect.
package struct SampleRequest: Equatable, Sendable {
    /// The host that the request would go to.
    package var host: String?
    /// Fields, written as `X-Tenant: north`.
    package var fields: [String] = []
    /// Files with one such field on each line; `-` is standard input.
    package var fieldFiles: [String] = []

    /// The options that describe a request.
    package static let options = "\(SampleReading.host), \(SampleReading.field) or \(SampleReading.fieldFile)"

    package init() {}

    /// The parameters that a credential takes from a request.
    ///
    /// - Parameters:
    ///   - name: One of the configuration's credentials.
    ///   - configuration: The configuration that has the credential.
    ///   - files: The file system.
    ///   - input: Reads standard input; called at most once.
    /// - Returns: Exactly the credential's parameters.
    /// - Throws: All problems, each with the option to add, correct or remove.
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
