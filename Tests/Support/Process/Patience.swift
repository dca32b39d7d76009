import Glibc

/// How long a test waits for something that must happen: generous, so that it only ends a broken test.
package enum Patience {
    package static let limit: Duration = .seconds(120)

    /// Looks again and again until `condition` gives a value.
    ///
    /// For what cannot be waited on, such as a growing file.
    package static func poll<Value>(_ what: String, until condition: () throws -> Value?) throws -> Value {
        let deadline = ContinuousClock.now + limit
        while true {
            if let value = try condition() { return value }
            guard ContinuousClock.now < deadline else { throw PatienceExhausted(what) }
            usleep(2000)
        }
    }
}

/// Something that a test waited for did not happen.
package struct PatienceExhausted: Error, CustomStringConvertible {
    private let what: String
    private let limit: Duration

    package init(_ what: String, after limit: Duration = Patience.limit) {
        self.what = what
        self.limit = limit
    }

    package var description: String { "waited \(limit) in vain: \(what)" }
}
