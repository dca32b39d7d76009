import FoundationEssentials

/// A compiled object file (ELF, 64 bit, little-endian), read as far as these tests need.
struct ObjectFile {
    private let bytes: [UInt8]
    private let sections: [Section]

    private struct Section {
        let name: String
        let range: Range<Int>
        let link: Int
    }

    /// Nil if the file cannot be read or is not such an object.
    init?(path: String) {
        guard let contents = try? Data(contentsOf: URL(filePath: path)) else { return nil }
        bytes = [UInt8](contents)
        guard bytes.count > 64, bytes.starts(with: [0x7F, 0x45, 0x4C, 0x46, 2, 1]) else { return nil }
        let table = Self.integer(bytes, at: 0x28, size: 8)
        let entrySize = Self.integer(bytes, at: 0x3A, size: 2)
        let count = Self.integer(bytes, at: 0x3C, size: 2)
        let namesAt = table + Self.integer(bytes, at: 0x3E, size: 2) * entrySize
        let names = Self.integer(bytes, at: namesAt + 0x18, size: 8)
        var sections: [Section] = []
        for index in 0..<count {
            let header = table + index * entrySize
            let start = Self.integer(bytes, at: header + 0x18, size: 8)
            let size =
                Self.integer(bytes, at: header + 4, size: 4) == 8 ? 0 : Self.integer(bytes, at: header + 0x20, size: 8)
            let name = Self.text(bytes, at: names + Self.integer(bytes, at: header, size: 4))
            let link = Self.integer(bytes, at: header + 0x28, size: 4)
            sections.append(Section(name: name, range: start..<start + size, link: link))
        }
        self.sections = sections
    }

    /// The linker options that the compiler left for the libraries of the modules imported, such as `-lssl`.
    var autolinkEntries: [String] {
        sections.filter { $0.name == ".swift1_autolink_entries" }.flatMap { section in
            bytes[section.range].split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
        }
    }

    /// The names of the symbols that some other object or library has to supply.
    var undefinedSymbols: [String] {
        sections.filter { $0.name == ".symtab" }.flatMap { table in
            stride(from: table.range.lowerBound, to: table.range.upperBound, by: 24).compactMap { entry in
                guard Self.integer(bytes, at: entry + 6, size: 2) == 0 else { return nil }
                let name = Self.integer(bytes, at: entry, size: 4)
                return name == 0 ? nil : Self.text(bytes, at: sections[table.link].range.lowerBound + name)
            }
        }
    }

    private static func integer(_ bytes: [UInt8], at offset: Int, size: Int) -> Int {
        (0..<size).reversed().reduce(0) { $0 << 8 | Int(bytes[offset + $1]) }
    }

    private static func text(_ bytes: [UInt8], at offset: Int) -> String {
        String(decoding: bytes[offset...].prefix { $0 != 0 }, as: UTF8.self)
    }
}
