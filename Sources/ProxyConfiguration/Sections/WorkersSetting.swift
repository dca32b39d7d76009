/// Reads `workers`: a number or `auto`.
enum WorkersSetting {
    static func read(_ setting: Setting, _ problems: ProblemList) -> WorkerCount? {
        if case .scalar("auto", _) = setting.node.content { return .automatic }
        let found = ProblemList()
        if let count = setting.integer(1...256, found) { return .count(count) }
        setting.refuse(problems, "is not a number of workers; write a number from 1 to 256, or auto")
        return nil
    }
}
