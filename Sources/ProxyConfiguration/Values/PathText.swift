import ProxyCore

/// Paths of a configuration: the prefix of a match, and the path of an upstream.
enum PathText {
    static func parse(_ text: String) throws(ValueError) -> String {
        guard text.hasPrefix("/") else { throw ValueError("does not begin with \"/\"; write it as in /db/") }
        let isPath = text.utf8.allSatisfy { (0x21...0x7e).contains($0) && !"?#\"<>\\^`{|}".utf8.contains($0) }
        guard isPath else {
            throw ValueError("contains a character that a path cannot have; write it percent-encoded, without query")
        }
        guard RouteMatch.isReachable(pathPrefix: text) else {
            throw ValueError("has a segment \".\" or \"..\", so it matches no request; write the path without it")
        }
        return text
    }
}
