/// Identifies one caller that is parked until a fetch ends.
package struct WaiterID: Sendable, Hashable {
    package let number: Int

    package init(_ number: Int) {
        self.number = number
    }
}
