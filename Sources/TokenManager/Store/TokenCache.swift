/// Values by key, of which the least recently used are evicted if there are more than the capacity.
///
/// Using, inserting and removing take constant time. A value type without a clock: its owner says what counts as a
/// use, and which values must stay for now.
package struct TokenCache<Key: Hashable, Value> {
    private struct Node {
        let key: Key
        var value: Value
        var newer: Int?
        var older: Int?
    }

    /// The number of values that may stay, at least one.
    package private(set) var capacity: Int
    private var nodes: [Node?] = []
    private var vacant: [Int] = []
    private var places: [Key: Int] = [:]
    private var newest: Int?
    private var oldest: Int?

    package init(capacity: Int) {
        self.capacity = max(capacity, 1)
    }

    /// Sets the number of values that may stay; the owner evicts the others.
    package mutating func resize(_ capacity: Int) { self.capacity = max(capacity, 1) }

    /// The number of values; more than the capacity until `evict` has been called.
    package var count: Int { places.count }

    /// All values, the most recently used first.
    package var values: [Value] {
        var all: [Value] = []
        var next = newest
        while let place = next, let node = nodes[place] {
            all.append(node.value)
            next = node.older
        }
        return all
    }

    /// The value, without counting as a use.
    package func peek(_ key: Key) -> Value? {
        guard let place = places[key] else { return nil }
        return nodes[place]?.value
    }

    /// The value, which becomes the most recently used one.
    package mutating func use(_ key: Key) -> Value? {
        guard let place = places[key], let value = nodes[place]?.value else { return nil }
        unlink(place)
        link(place)
        return value
    }

    /// Inserts a value as the most recently used one, and replaces another one with its key.
    package mutating func insert(_ value: Value, for key: Key) {
        _ = remove(key)
        let node = Node(key: key, value: value)
        let place: Int
        if let free = vacant.popLast() {
            nodes[free] = node
            place = free
        } else {
            nodes.append(node)
            place = nodes.count - 1
        }
        places[key] = place
        link(place)
    }

    /// Removes a value.
    package mutating func remove(_ key: Key) -> Value? {
        guard let place = places.removeValue(forKey: key) else { return nil }
        unlink(place)
        let value = nodes[place]?.value
        nodes[place] = nil
        vacant.append(place)
        return value
    }

    /// Removes the least recently used value that may be evicted, if there are more than the limit.
    package mutating func evict(beyond limit: Int, where mayLeave: (Value) -> Bool) -> Value? {
        guard count > limit else { return nil }
        var next = oldest
        while let place = next, let node = nodes[place] {
            if mayLeave(node.value) { return remove(node.key) }
            next = node.newer
        }
        return nil
    }

    private mutating func link(_ place: Int) {
        nodes[place]?.older = newest
        nodes[place]?.newer = nil
        if let newest { nodes[newest]?.newer = place }
        newest = place
        if oldest == nil { oldest = place }
    }

    private mutating func unlink(_ place: Int) {
        let newer = nodes[place]?.newer
        let older = nodes[place]?.older
        if let newer { nodes[newer]?.older = older } else { newest = older }
        if let older { nodes[older]?.newer = newer } else { oldest = newer }
    }
}
