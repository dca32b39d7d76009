/// The executor that a manager's work runs on: the one that was given, else one of the default pool.
///
/// Swift lets an actor name its executor only as an unowned reference, which is why this module has one unsafe site.
struct ManagerExecutor: Sendable {
    private actor DefaultExecutor {}

    private let given: (any SerialExecutor)?
    private let fallback = DefaultExecutor()

    init(_ given: (any SerialExecutor)?) {
        self.given = given
    }

    /// Where the manager's tasks run what has no isolation of its own, so that nothing strays to the default pool.
    ///
    /// Transports and clocks need it: `withTaskCancellationHandler` in a function that only inherits its caller's
    /// isolation hops away from it.
    var preference: (any TaskExecutor)? { given as? any TaskExecutor }

    // SAFETY: what the references are to is owned by this value, and the actor that names them owns this value.
    /// The reference to name in the actor that stores this value; it must not outlive that actor.
    @safe var unowned: UnownedSerialExecutor {
        guard let given else { return unsafe fallback.unownedExecutor }
        return unsafe given.asUnownedSerialExecutor()
    }
}
