/// Work for a loop: a job of the concurrency runtime, a closure, or the release of an object.
enum LoopWork: Sendable {
    case job(UnownedJob)
    case block(@Sendable () -> Void)
    case release(LastReference)
}

// SAFETY: it stands for one retain, which its holder balances once: the loop, or the caller whose work the loop
// refuses.
/// A reference that is sent to the loop to be released there.
///
/// A closure would not do: the sender may release it later than the loop does.
@safe
struct LastReference: @unchecked Sendable {
    private let object: Unmanaged<AnyObject>

    /// Takes over one retain of `object`.
    init<Object: AnyObject>(_ object: Unmanaged<Object>) {
        unsafe self.object = .fromOpaque(object.toOpaque())
    }

    func release() { unsafe object.release() }
}
