/// The newest usable certificate authorities of a file that may change.
///
/// Pure: the owner reads the file.
package struct ChangingAuthorities {
    /// What a read changed.
    package enum Change: Equatable {
        case replaced
        /// The file is unusable for a reason that has not been reported yet; the old authorities stay in use.
        case kept(reason: String)
        case none
    }

    package private(set) var newest: TrustedAuthorities
    /// The last unusable content; it is checked only once.
    private var refused: TrustedAuthorities?
    /// Why the file was unusable at the last read.
    private var problem: String?

    /// - Throws: The reason why the first content is unusable.
    package init(_ first: TrustedAuthorities) throws(TransportError) {
        newest = first
        try Self.check(first)
    }

    /// The file was read again, or could not be read.
    package mutating func fileRead(_ result: Result<TrustedAuthorities, TransportError>) -> Change {
        do throws(TransportError) {
            let found = try result.get()
            guard found != refused else { return .none }
            refused = nil
            let isNew = found != newest
            if isNew {
                refused = found
                try Self.check(found)
                refused = nil
                newest = found
            }
            problem = nil
            return isNew ? .replaced : .none
        } catch {
            guard problem != error.message else { return .none }
            problem = error.message
            return .kept(reason: error.message)
        }
    }

    private static func check(_ authorities: TrustedAuthorities) throws(TransportError) {
        _ = try TLSContext(trusting: authorities)
    }
}
