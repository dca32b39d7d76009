/// The names of a hosts file (hosts(5)), read when they are first needed and again when the file has changed.
///
/// Confined to the loop's thread. A missing file has no names; invalid lines are skipped.
struct HostsFile {
    private var file: ChangingFile
    private var names: [String: [IPAddress]] = [:]

    init(path: String) { file = ChangingFile(path: path) }

    /// The addresses of a lower-case name, in the order of the file; empty if the file lacks it.
    mutating func addresses(of name: String) -> [IPAddress] {
        if let text = file.newText() { names = Self.parse(text) }
        return names[name] ?? []
    }

    static func parse(_ text: String) -> [String: [IPAddress]] {
        var names: [String: [IPAddress]] = [:]
        for line in text.utf8.split(whereSeparator: { $0 == 0x0a || $0 == 0x0d }) {
            let words = line.prefix { $0 != UInt8(ascii: "#") }.split { $0 == 0x20 || $0 == 0x09 }
            guard let first = words.first, let address = IPAddress(literal: String(Substring(first))) else { continue }
            for word in words.dropFirst() {
                let name = Substring(word).lowercased()
                if names[name]?.contains(address) != true { names[name, default: []].append(address) }
            }
        }
        return names
    }
}
