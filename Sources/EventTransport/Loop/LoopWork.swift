/// Something to run on a loop: a job of the concurrency runtime or a closure.
enum LoopWork: Sendable {
    case job(UnownedJob)
    case block(@Sendable () -> Void)
}
