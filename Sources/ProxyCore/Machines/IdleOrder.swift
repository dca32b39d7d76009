/// In which order the idle connections of one worker became idle, over all its origins.
///
/// A list that is linked by numbers, so that joining, leaving and finding the oldest take the same time for any count, and no
/// memory once it has grown.
@usableFromInline
package struct IdleOrder: ~Copyable {
    /// A number of the list; valid until it is removed.
    @usableFromInline
    package typealias Entry = Int

    private struct Link {
        var older: Entry
        var newer: Entry
    }

    /// Stands before the oldest and behind the newest.
    private static let ends: Entry = 0

    private var links = [Link(older: ends, newer: ends)]
    private var free: [Entry] = []

    package init() {}

    package var count: Int { links.count - 1 - free.count }

    /// The entry that was appended first; nil if there is none.
    package var oldest: Entry? { links[Self.ends].newer == Self.ends ? nil : links[Self.ends].newer }

    /// Adds an entry behind all others.
    ///
    /// Its number is 1 or more, and may be that of a removed one.
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
