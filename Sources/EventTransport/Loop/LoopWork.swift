/// Something to run on a loop: a job of the concurrency runtime, a closure, or the release of an object.
enum LoopWork: Sendable {
    case job(UnownedJob)
    case block(@Sendable () -> Void)
    case release(LastReference)
}

// SAFETY: it stands for one retain, which whoever has it balances once: the loop, or whom the loop refuses it.
/// A reference that travels to the loop to be released there.
///
/// A closure would not do: whoever hands it over may release it later than the loop does.
@safe
struct LastReference: @unchecked Sendable {
    private let object: Unmanaged<AnyObject>

    /// Takes the retain over that `object` stands for.
    init<Object: AnyObject>(_ object: Unmanaged<Object>) {
        unsafe self.object = .fromOpaque(object.toOpaque())
    }

    func release() { unsafe object.release() }
}
