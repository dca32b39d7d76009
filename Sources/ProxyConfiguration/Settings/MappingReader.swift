/// Reads a mapping with known keys, and reports every other key at the end.
///
/// No key is ignored silently, because the user expects it to have an effect.
struct MappingReader<Key: RawRepresentable & CaseIterable & Hashable> where Key.RawValue == String {
    let place: Place
    private let problems: ProblemList
    private let entries: [YAMLEntry]
    private let quoting: KeyQuoting
    /// The entries with a misspelled key, by the known key that is absent.
    private let misspelt: [String: YAMLEntry]
    private var taken: Set<String> = []
    private var refused: Set<String> = []

    init?(_ setting: Setting, _ problems: ProblemList, quoting: KeyQuoting = .always) {
        switch setting.node.content {
        case .mapping(let entries): self.entries = entries
        case .scalar, .sequence:
            problems.add(
                setting.place,
                setting.node.isNull
                    ? "has no value; write its keys below it"
                    : "is not a mapping; write keys and values, as in \(Key.allCases.first?.rawValue ?? "key"): …")
            return nil
        case .refused: return nil
        }
        misspelt = Self.misspelt(entries)
        place = setting.place
        self.problems = problems
        self.quoting = quoting
    }

    private static func misspelt(_ entries: [YAMLEntry]) -> [String: YAMLEntry] {
        let known = Key.allCases.map(\.rawValue)
        let given = Set(entries.map(\.key))
        var found: [String: YAMLEntry] = [:]
        for entry in entries where !known.contains(entry.key) {
            guard let meant = WordSuggestion.nearest(to: entry.key, among: known), !given.contains(meant) else {
                continue
            }
            if found[meant] == nil { found[meant] = entry }
        }
        return found
    }

    /// The value of a key; nil if it is absent.
    ///
    /// A misspelled key is reported and its value used, so that no further problems follow from it.
    mutating func take(_ key: Key) -> Setting? {
        let isFirstLook = taken.insert(key.rawValue).inserted
        let found = entries.filter { $0.key == key.rawValue }
        for repeated in found.dropFirst() where isFirstLook {
            problems.add(
                place.key(key.rawValue, at: repeated.keyPosition),
                "is given twice, first in line \(found[0].keyPosition.line); keep one")
        }
        if found.isEmpty, isFirstLook { takeMisspelt(key) }
        return (found.first ?? misspelt[key.rawValue]).map {
            Setting(node: $0.value, place: place.key(key.rawValue, at: $0.value.position))
        }
    }

    private mutating func takeMisspelt(_ key: Key) {
        guard let entry = misspelt[key.rawValue], taken.insert(entry.key).inserted else { return }
        problems.add(
            place.key(KeyText.printable(entry.key), at: entry.keyPosition),
            "unknown key; did you mean \(key.rawValue)?")
    }

    /// As `take`, for a key that must be present.
    mutating func require(_ key: Key, _ advice: String) -> Setting? {
        if let setting = take(key) { return setting }
        problems.add(place, "\(key.rawValue) is missing; \(advice)")
        return nil
    }

    /// Reports a key that belongs elsewhere.
    mutating func refuse(_ key: Key, _ advice: String) {
        refused.insert(key.rawValue)
        guard taken.insert(key.rawValue).inserted, let entry = entries.first(where: { $0.key == key.rawValue }) else {
            return
        }
        problems.add(place.key(key.rawValue, at: entry.keyPosition), advice)
    }

    /// Reports a key that former versions had.
    mutating func refuse(former key: String, _ advice: String) {
        refused.insert(key)
        guard taken.insert(key).inserted, let entry = entries.first(where: { $0.key == key }) else { return }
        problems.add(place.key(key, at: entry.keyPosition), "is no longer a key; \(advice)")
    }

    /// Reports every key that was not taken.
    consuming func finish(context: String = "here") {
        let known = Key.allCases.map(\.rawValue).filter { taken.contains($0) && !refused.contains($0) }
        for entry in entries where !taken.contains(entry.key) {
            let meant = WordSuggestion.nearest(to: entry.key, among: known)
            let place =
                meant != nil || quoting.allows(entry)
                ? place.key(KeyText.printable(entry.key), at: entry.keyPosition)
                : Place(file: place.file, position: entry.keyPosition, path: place.path)
            let advice = meant.map { "did you mean \($0)?" } ?? "the keys \(context) are \(KnownWords.list(known))"
            problems.add(place, "unknown key; \(advice)")
        }
    }
}
