/// The newest usable content of files that may change.
///
/// Pure: the owner reads the files.
package struct ChangingContent<Content: Equatable> {
    /// What a read changed.
    package enum Change: Equatable {
        case replaced
        /// The content is unusable for a reason that has not been reported yet; the old content stays in use.
        case kept(reason: String)
        case none
    }

    /// Throws the reason why a content is unusable.
    package typealias Check = (Content) throws(TransportError) -> Void

    package private(set) var newest: Content
    /// The last unusable content, such as a certificate with the key of another; it is checked only once.
    private var refused: Content?
    /// Why the content was unusable at the last read.
    private var problem: String?
    private let check: Check

    /// - Throws: The reason why the first content is unusable.
    package init(_ first: Content, check: @escaping Check) throws(TransportError) {
        newest = first
        self.check = check
        try check(first)
    }

    /// The files were read again, or could not be read.
    ///
    /// An unusable result changes nothing: while a pair of files is being replaced, one is often older than the other.
    package mutating func wasRead(_ result: Result<Content, TransportError>) -> Change {
        do throws(TransportError) {
            let found = try result.get()
            guard found != refused else { return .none }
            refused = nil
            let isNew = found != newest
            if isNew {
                refused = found
                try check(found)
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
}

/// The newest usable certificate authorities of a file that may change.
package typealias ChangingAuthorities = ChangingContent<TrustedAuthorities>

extension ChangingContent<TrustedAuthorities> {
    /// - Throws: The reason why the first content is unusable.
    package init(_ first: TrustedAuthorities) throws(TransportError) {
        try self.init(first) { authorities throws(TransportError) in _ = try TLSContext(trusting: authorities) }
    }
}
