/// The executor that an actor's work runs on: the given one, else one of the default pool.
///
/// Swift lets an actor name its executor only as an unowned reference, which is why this module has one unsafe site.
package struct ManagerExecutor: Sendable {
    private actor DefaultExecutor {}

    private let given: (any SerialExecutor)?
    private let fallback = DefaultExecutor()

    package init(_ given: (any SerialExecutor)?) {
        self.given = given
    }

    /// The executor for the manager's tasks whose code has no isolation of its own, so that none of it runs on the
    /// default pool.
    ///
    /// Transports and clocks need it: `withTaskCancellationHandler` in a function that only inherits its caller's
    /// isolation hops away from it.
    var preference: (any TaskExecutor)? { given as? any TaskExecutor }

    // SAFETY: this value owns the objects that the references point to, and the actor that names them owns this
    // value.
    /// The reference for the actor that stores this value; it must not outlive that actor.
    @safe package var unowned: UnownedSerialExecutor {
        guard let given else { return unsafe fallback.unownedExecutor }
        return unsafe given.asUnownedSerialExecutor()
    }
}
