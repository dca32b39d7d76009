import FoundationEssentials
import HTTPWire

/// The cases of the text files under `Tests/Vectors/Cases`.
package enum VectorFile {
    /// Every case, in the order of the files' names; throws at the first line that is not of the format.
    package static func all() throws -> [VectorCase] {
        let folder = "/" + #filePath.split(separator: "/").dropLast().joined(separator: "/") + "/Cases"
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".txt") }
        return try names.sorted().flatMap { name in
            let text = try Data(contentsOf: URL(filePath: "\(folder)/\(name)"))
            return try cases(in: String(decoding: text, as: UTF8.self), named: name)
        }
    }

    /// The cases of one file's text.
    package static func cases(in text: String, named name: String) throws(VectorFault) -> [VectorCase] {
        var cases: [VectorCase] = []
        var draft: VectorDraft?
        var titles: Set<String> = []
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            let place = "\(name):\(index + 1)"
            do throws(ByteText.Fault) {
                if line.hasPrefix("--- ") {
                    if let draft { cases.append(try draft.finished()) }
                    let title = String(line.dropFirst(4))
                    guard titles.insert(title).inserted else {
                        throw ByteText.Fault(message: "a case of this title stands above")
                    }
                    draft = VectorDraft(place: place, title: title)
                } else if draft != nil {
                    try draft?.take(line)
                } else if !line.isEmpty, !line.hasPrefix("#") {
                    throw ByteText.Fault(message: "a case begins with '--- ' and its title")
                }
            } catch {
                throw VectorFault(place: place, message: error.message)
            }
        }
        do throws(ByteText.Fault) {
            if let draft { cases.append(try draft.finished()) }
        } catch {
            throw VectorFault(place: "\(name):\(lines.count)", message: error.message)
        }
        return cases
    }
}

/// A line of a vector file that is not of the format.
package struct VectorFault: Error, CustomStringConvertible {
    /// File and line.
    package let place: String
    package let message: String

    package var description: String { "\(place): \(message)" }
}
