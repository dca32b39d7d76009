import ProxyCore

/// Ranges of addresses: `10.0.0.0/8`, `fd00::/8`, or one address.
enum AddressRangeText {
    /// Nil if an item has a problem.
    static func list(_ setting: Setting, _ problems: ProblemList) -> [Network]? {
        guard let items = setting.items(problems) else { return nil }
        let ranges = items.compactMap { $0.parsed(problems, what: "a range of addresses", parse) }
        return ranges.count == items.count ? ranges : nil
    }

    private static func parse(_ text: String) throws(ValueError) -> Network {
        do throws(Network.Problem) {
            return try Network(text)
        } catch {
            switch error {
            case .noAddress:
                throw ValueError("is not a range of addresses; write it as in 10.0.0.0/8, fd00::/8 or 10.1.2.3")
            case .prefixLength(let address, let most):
                throw ValueError("has a prefix length outside 0 to \(most); write it as in \(address)/\(most)")
            }
        }
    }
}
