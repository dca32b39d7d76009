/// A replacement of the credentials that is being prepared, with the fetches that wait for its end.
///
/// Owned by the manager and used on its executor only.
final class Replacement {
    /// All credentials after it.
    let credentials: [TokenManager.Versioned]
    /// Whether its preparation has waited for as long as it may.
    private(set) var isTimeOver = false
    private let kept: Set<Int>
    private var held: [Waiter<Void>] = []
    private var preparing: Waiter<Void>?

    init(_ credentials: [TokenManager.Versioned]) {
        self.credentials = credentials
        kept = Set(credentials.map(\.version))
    }

    /// Whether a credential goes.
    func removes(_ record: CredentialRecord) -> Bool { !kept.contains(record.version) }

    /// What a fetch waits for that would send a refresh token of a credential that goes.
    func hold() -> Waiter<Void> {
        let waiter = Waiter<Void>()
        held.append(waiter)
        return waiter
    }

    /// What the preparation waits for.
    func nextChange() -> Waiter<Void> {
        let waiter = Waiter<Void>()
        preparing = waiter
        return waiter
    }

    /// A fetch or a write has ended, or a fetch waits: the preparation may be complete.
    func changed() {
        preparing?.resume(())
        preparing = nil
    }

    /// The preparation has waited long enough.
    func timeIsOver() {
        isTimeOver = true
        changed()
    }

    /// It was carried out or abandoned.
    func end() {
        changed()
        for waiter in held { waiter.resume(()) }
        held = []
    }
}
