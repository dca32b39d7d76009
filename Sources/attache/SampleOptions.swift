import ArgumentParser
import ProxyConfiguration

/// The options that describe a request, for a token that depends on one.
struct SampleOptions: ParsableArguments {
    @Option(help: "The host that the request would go to, for {host}.")
    var host: String?

    @Option(
        name: .customLong("field"),
        help: "A field of the request, as 'X-Tenant: north', for {header:Name}; may be given several times.")
    var fields: [String] = []

    @Option(
        name: .customLong("field-file"),
        help: """
            A file with one such field a line, or - for standard input. Only this option takes Authorization, because every \
            process of the machine can read a command line.
            """)
    var fieldFiles: [String] = []

    var request: SampleRequest {
        var request = SampleRequest()
        request.host = host
        request.fields = fields
        request.fieldFiles = fieldFiles
        return request
    }

    static func standardInput() -> [UInt8] {
        var bytes: [UInt8] = []
        while let line = readLine(strippingNewline: false) { bytes.append(contentsOf: line.utf8) }
        return bytes
    }
}
