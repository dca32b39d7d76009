/// The number by which a refusal names one token or value of a credential, without its text.
///
/// A token that is fetched later has another generation, even if the token server issues the same text again.
public struct TokenGeneration: Sendable, Hashable, CustomStringConvertible {
    /// The generation of a header that no token manager made; its refusal changes nothing.
    public static let unissued = TokenGeneration(number: 0)

    private let number: UInt64

    private init(number: UInt64) { self.number = number }

    /// The number alone.
    public var description: String { "\(number)" }

    /// Assigns generations, in the order in which tokens or values arrive.
    struct Count {
        private var number: UInt64 = 0

        /// The next generation.
        mutating func next() -> TokenGeneration {
            number += 1
            return TokenGeneration(number: number)
        }
    }
}
