/// The order in which the idle connections of one worker became idle, over all its origins.
///
/// A list linked by numbers: adding, removing and finding the oldest take constant time, and no allocation once it
/// has grown.
@usableFromInline
package struct IdleOrder: ~Copyable {
    /// A number in the list; valid until it is removed.
    @usableFromInline
    package typealias Entry = Int

    private struct Link {
        var older: Entry
        var newer: Entry
    }

    /// The sentinel before the oldest and after the newest entry.
    private static let ends: Entry = 0

    private var links = [Link(older: ends, newer: ends)]
    private var free: [Entry] = []

    package init() {}

    package var count: Int { links.count - 1 - free.count }

    /// The oldest entry; nil if the list is empty.
    package var oldest: Entry? { links[Self.ends].newer == Self.ends ? nil : links[Self.ends].newer }

    /// Adds an entry after all others.
    ///
    /// Its number is 1 or more, and may be reused from a removed entry.
    package mutating func append() -> Entry {
        let newest = links[Self.ends].older
        let link = Link(older: newest, newer: Self.ends)
        let entry: Entry
        if let used = free.popLast() {
            entry = used
            links[entry] = link
        } else {
            entry = links.count
            links.append(link)
        }
        links[newest].newer = entry
        links[Self.ends].older = entry
        return entry
    }

    package mutating func remove(_ entry: Entry) {
        precondition(entry != Self.ends, "the ends of the order were removed")
        let link = links[entry]
        links[link.older].newer = link.newer
        links[link.newer].older = link.older
        free.append(entry)
    }
}
