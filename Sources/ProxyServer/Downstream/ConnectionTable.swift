/// The open connections of a worker's apps, by the number that each of them keeps.
///
/// An array, because a dictionary takes two to four times as much memory for a connection.
struct ConnectionTable: ~Copyable {
    private var connections: [DownstreamConnection?] = []
    private var freeNumbers: [Int32] = []

    var count: Int { connections.count - freeNumbers.count }

    var isEmpty: Bool { count == 0 }

    /// The connections now, for a caller that closes some of them.
    var all: [DownstreamConnection] { connections.compactMap(\.self) }

    mutating func insert(_ connection: DownstreamConnection) {
        let number: Int32
        if let free = freeNumbers.popLast() {
            number = free
            connections[Int(free)] = connection
        } else {
            number = Int32(connections.count)
            connections.append(connection)
        }
        connection.number = number
    }

    /// Removes a connection that has closed; false if it is not in the table.
    mutating func remove(_ connection: DownstreamConnection) -> Bool {
        guard let number = connection.number else { return false }
        connection.number = nil
        connections[Int(number)] = nil
        freeNumbers.append(number)
        return true
    }
}
