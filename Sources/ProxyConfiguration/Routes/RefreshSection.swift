import ProxyCore
import TokenManager

/// Reads `refreshOn` of a route: the responses by which the backend refuses the token.
enum RefreshSection {
    enum ConditionKey: String, CaseIterable {
        case status
        case field
        case contains
    }

    enum Word: String, CaseIterable {
        case invalidToken
        case unauthorized
        case never

        fileprivate var rule: RefreshRule {
            switch self {
            case .invalidToken: .invalidToken
            case .unauthorized: .unauthorized
            case .never: .never
            }
        }
    }

    /// The statuses that can refuse a token: an error, or a redirect to a login page.
    private static let statuses = 300...599
    private static let longestText = 256

    static func read(_ setting: Setting, _ problems: ProblemList) -> RefreshRule? {
        switch setting.node.content {
        case .scalar, .refused: return setting.word(Word.self, elsewhere: ["any": .unauthorized], problems)?.rule
        case .mapping:
            problems.add(setting.place, "is a mapping; write a list of conditions, as in [{ status: 401 }]")
            return nil
        case .sequence: break
        }
        guard let items = setting.items(problems) else { return nil }
        guard !items.isEmpty else {
            problems.add(setting.place, "is empty; write conditions as in [{ status: 401 }], or never")
            return nil
        }
        let conditions = items.compactMap { condition($0, problems) }
        return conditions.count == items.count ? .conditions(conditions) : nil
    }

    private static func condition(_ setting: Setting, _ problems: ProblemList) -> RefusalCondition? {
        guard var keys = MappingReader<ConditionKey>(setting, problems) else { return nil }
        let status = keys.require(.status, "write the status of the response, as in status: 401")
            .flatMap { $0.integer(statuses, problems) }
        let field = keys.take(.field)
        let contains = keys.take(.contains)
        keys.finish(context: "of a condition")
        if let field, contains == nil {
            problems.add(field.place, "needs contains too; write the text to look for in the field")
            return nil
        }
        let name = field.map { $0.parsed(problems, what: "the name of a field", fieldName) }
        let text = contains.map { $0.parsed(problems, what: "the text to look for", searchedText) }
        guard let status else { return nil }
        switch (name, text) {
        case (_, nil): return RefusalCondition(status: status)
        case (nil, let text?): return text.map { RefusalCondition(status: status, evidence: .body(contains: $0)) }
        case (let name?, let text?):
            guard let name, let text else { return nil }
            return RefusalCondition(status: status, evidence: .field(name: name, contains: text))
        }
    }

    private static func fieldName(_ text: String) throws(ValueError) -> String {
        guard FieldText.isToken(text) else {
            throw ValueError("is not the name of a field; write it as in WWW-Authenticate")
        }
        return text.lowercased()
    }

    private static func searchedText(_ text: String) throws(ValueError) -> String {
        guard text.utf8.count <= longestText else {
            throw ValueError("is longer than \(longestText) bytes; write a shorter part of the text")
        }
        return text
    }
}
