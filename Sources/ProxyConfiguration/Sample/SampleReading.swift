import HTTPWire
import TokenManager

/// Reads the options of a sample request for one credential; no message quotes a value.
struct SampleReading {
    static let host = "--host"
    static let field = "--field"
    static let fieldFile = "--field-file"
    static let longestFile = 65_536

    private let credential: CredentialConfiguration
    private let problems = ProblemList()
    private var values = RequestParameters()
    /// The parameters that were given, including those with an unusable value.
    private var given: Set<RequestParameter> = []

    init(_ credential: CredentialConfiguration) {
        self.credential = credential
    }

    mutating func read(host text: String) {
        let place = Place(path: Self.host)
        guard take(.host, place) else { return }
        let setting = Setting(text: text, place: place)
        let host = setting.parsed(problems, what: "a host", isSecret: true, HostText.parse(whole:))
        values.host = host.map(Host.inURI)
    }

    /// The lines of a file, without a final empty one.
    mutating func read(file bytes: [UInt8], _ path: String) {
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            let text = String(decoding: line.last == UInt8(ascii: "\r") ? line.dropLast() : line, as: UTF8.self)
            guard !text.isEmpty else { continue }
            let position = SourcePosition(line: index + 1, column: 1)
            let place = Place(file: KeyText.printable(path), position: position, path: Self.fieldFile)
            read(field: text, at: place, isArgument: false)
        }
    }

    mutating func read(field line: String, at place: Place, isArgument: Bool) {
        guard let colon = line.firstIndex(of: ":"), FieldText.isToken(String(line[..<colon])) else {
            problems.add(place, "is not a field; write name and value, as in X-Tenant: north")
            return
        }
        let name = line[..<colon].lowercased()
        let isAuthorization = name == "authorization"
        guard take(isAuthorization ? .bearerToken : .field(name), place) else { return }
        guard !isAuthorization || !isArgument else {
            problems.add(
                place,
                "holds a token, and every process of the machine can read a command line; "
                    + "write the field into a file and give \(Self.fieldFile) FILE, or - for standard input")
            return
        }
        var value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
        while value.last == " " || value.last == "\t" { value.removeLast() }
        let setting = Setting(text: String(value), place: place)
        guard let text = setting.text(problems, what: "the value of the field") else { return }
        if isAuthorization {
            values.bearerToken = bearerToken(text, place)
        } else {
            values.fields[name] = text
        }
    }

    func refuse(_ path: String, _ reason: String) {
        problems.add(Place(path: Self.fieldFile), "\(KeyText.printable(path)): \(reason); correct the path or the file")
    }

    consuming func finish() throws(ConfigurationError) -> RequestParameters {
        for parameter in credential.parameters where !given.contains(parameter) {
            problems.add(Place(path: "credential \(credential.name)"), Self.missing(parameter))
        }
        guard problems.isEmpty else { throw ConfigurationError(problems: problems.sorted) }
        return values
    }

    /// Whether the credential has this parameter, and it is given for the first time.
    private mutating func take(_ parameter: RequestParameter, _ place: Place) -> Bool {
        guard credential.parameters.contains(parameter) else {
            problems.add(
                place,
                "\(Self.name(parameter)) has no effect on the token of credential \(credential.name); leave it out")
            return false
        }
        guard given.insert(parameter).inserted else {
            problems.add(place, "\(Self.name(parameter)) is given twice; keep one")
            return false
        }
        return true
    }

    private func bearerToken(_ value: String, _ place: Place) -> String? {
        let words = value.split(separator: " ")
        guard words.count == 2, words[0].lowercased() == "bearer" else {
            problems.add(place, "is not a bearer token; write Authorization: Bearer and the token to exchange")
            return nil
        }
        return String(words[1])
    }

    /// A name that is not a word may be a secret, so it is not quoted.
    private static func name(_ parameter: RequestParameter) -> String {
        switch parameter {
        case .host: "the host"
        case .field(let name): KeyText.isWord(name) ? "the field \(name)" : "the field"
        case .bearerToken: "Authorization"
        }
    }

    private static func missing(_ parameter: RequestParameter) -> String {
        switch parameter {
        case .host: "its token depends on the host of the request; add \(host), as in \(host) backend.example"
        case .field(let name): "its token depends on a field of the request; add \(field) '\(name): …'"
        case .bearerToken:
            "its token is exchanged for the request's own; add \(fieldFile) FILE, where FILE holds the line "
                + "Authorization: Bearer …, or is - for standard input"
        }
    }
}
