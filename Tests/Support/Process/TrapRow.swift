/// An event of a state machine, and the states in which it traps; in every other state it must not.
package struct TrapRow<State: Equatable, Machine: ~Copyable> {
    private let event: String
    private let states: [State]
    private let happen: (inout Machine) -> Void

    package init(_ event: String, in states: [State], _ happen: @escaping (inout Machine) -> Void) {
        self.event = event
        self.states = states
        self.happen = happen
    }

    /// What the machine does otherwise than the row says, in sentences.
    ///
    /// Only for the body of an exit test, as it copies the process.
    package func differences(among all: [State], _ machine: (State) -> Machine) -> [String] {
        all.compactMap { state in
            let text = Trap.text {
                var machine = machine(state)
                happen(&machine)
            }
            guard (text != nil) != states.contains(state) else { return nil }
            return "\(event) in \(state) \(text == nil ? "does not trap" : "traps: \(text ?? "")")"
        }
    }
}
