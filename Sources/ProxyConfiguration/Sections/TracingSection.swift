import HTTPWire
import ProxyCore
import TokenManager

/// Reads `tracing`.
enum TracingSection {
    enum Key: String, CaseIterable {
        case endpoint
        case sampleRatio
        case serviceName
        case resourceAttributes
        case headersFile
        case caFile
    }

    /// The path of a collector whose endpoint has none (OTLP 1.0).
    private static let standardPath = "/v1/traces"

    /// Nil after a problem.
    static func read(_ setting: Setting, _ context: LoadContext) -> TracingConfiguration? {
        let problems = context.problems
        guard var keys = MappingReader<Key>(setting, problems) else { return nil }
        let endpoint = keys.require(.endpoint, "write the collector's URL, as in http://127.0.0.1:4318")
        let url = endpoint.flatMap { $0.parsed(problems, what: "a URL", Self.url) }
        let ratio = keys.take(.sampleRatio)
        let name = keys.take(.serviceName)
        let attributes = keys.take(.resourceAttributes)
        let headers = keys.take(.headersFile)
        let caFile = keys.take(.caFile)
        keys.finish(context: "of tracing")
        var isFaulty = false
        func value<Value>(_ setting: Setting?, _ standard: Value, _ read: (Setting) -> Value?) -> Value {
            guard let setting else { return standard }
            if let value = read(setting) { return value }
            isFaulty = true
            return standard
        }
        let sampleRatio = value(ratio, 1) { $0.parsed(problems, what: "a number from 0 to 1", Self.ratio) }
        let serviceName = value(name, "attache") { $0.text(problems, what: "a name") }
        let others = value(attributes, []) { self.attributes($0, problems) }
        let file = value(headers, nil) { self.headers($0, toward: url, context) }
        let authorities = value(caFile, nil) { CAFileSetting.read($0, context) }
        guard let url, !isFaulty else { return nil }
        if url.scheme == .http, let caFile {
            context.warnings.add(
                .settingWithoutEffect, caFile.place,
                "has no effect with an http:// endpoint; remove it, or write https://")
        }
        let all = [TracingConfiguration.Attribute(key: serviceKey, value: serviceName)] + others
        return TracingConfiguration(
            endpoint: url, sampleRatio: sampleRatio, attributes: all, headersFile: file, caFile: authorities)
    }

    private static let serviceKey = "service.name"

    private static func url(_ text: String) throws(ValueError) -> TokenURL {
        let url = try URLText.upstream(text)
        let path = url.path.isEmpty ? standardPath : url.path
        let port = url.port.map { ":\($0)" } ?? ""
        do throws(TokenURL.InvalidURL) {
            return try TokenURL("\(url.scheme.rawValue)://\(Host.inURI(url.host))\(port)\(path)")
        } catch {
            throw ValueError("is not usable: \(error)")
        }
    }

    private static func ratio(_ text: String) throws(ValueError) -> Double {
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }),
            let ratio = Double(text), (0...1).contains(ratio)
        else { throw ValueError("is not a number from 0 to 1; write one, as in 0.1") }
        return ratio
    }

    private static func attributes(
        _ setting: Setting, _ problems: ProblemList
    ) -> [TracingConfiguration.Attribute]? {
        guard case .mapping(let entries) = setting.node.content else {
            problems.add(
                setting.place, "is not a mapping; write keys and values, as in deployment.environment.name: test")
            return nil
        }
        var attributes: [TracingConfiguration.Attribute] = []
        for entry in entries {
            let key = KeyText.printable(entry.key)
            let item = Setting(node: entry.value, place: setting.place.key(key, at: entry.value.position))
            guard entry.key != serviceKey else {
                problems.add(item.place, "has a key of its own; write serviceName")
                return nil
            }
            guard !attributes.contains(where: { $0.key == entry.key }) else {
                problems.add(item.place, "is given twice; keep one")
                return nil
            }
            guard let value = item.text(problems) else { return nil }
            attributes.append(TracingConfiguration.Attribute(key: entry.key, value: value))
        }
        return attributes
    }

    private static func headers(_ setting: Setting, toward url: TokenURL?, _ context: LoadContext) -> String? {
        guard let path = setting.text(context.problems, what: "the path of a file with lines Name: value"),
            let bytes = context.read(path, limit: HeaderLines.byteLimit, for: setting.place)
        else { return nil }
        do throws(HeaderLines.Problem) {
            _ = try HeaderLines(bytes)
        } catch {
            context.problems.add(setting.place, "the file it names \(error.message)")
            return nil
        }
        if let url, url.scheme == .http, (try? HTTPWire.Host(url.host))?.isLoopback != true {
            context.problems.add(
                setting.place, "would be sent to the collector in plain text over the network; use an https:// endpoint"
            )
            return nil
        }
        return path
    }
}
