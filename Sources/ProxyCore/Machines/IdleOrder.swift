/// The order in which the idle connections of one worker became idle, over all its origins.
///
/// A list linked by numbers: adding, removing and finding the oldest take constant time and no allocation. Each
/// connection keeps one entry while it is open, whether it is idle or not.
@usableFromInline
package struct IdleOrder: ~Copyable {
    /// A number in the list; valid from `makeEntry` until `drop`.
    @usableFromInline
    package typealias Entry = Int

    private struct Link {
        var older: Entry
        var newer: Entry
    }

    /// The sentinel before the oldest and after the newest entry.
    private static let ends: Entry = 0
    /// The neighbours of an entry that is not in the list.
    private static let nowhere: Entry = -1

    private var links = [Link(older: ends, newer: ends)]
    private var free: [Entry] = []
    /// The number of entries in the list.
    package private(set) var count = 0

    package init() {}

    /// The oldest entry; nil if the list is empty.
    package var oldest: Entry? { links[Self.ends].newer == Self.ends ? nil : links[Self.ends].newer }

    /// Makes an entry that is not in the list yet.
    ///
    /// Its number is 1 or more, and may be reused from a dropped entry.
    package mutating func makeEntry() -> Entry {
        if let used = free.popLast() { return used }
        links.append(Link(older: Self.nowhere, newer: Self.nowhere))
        return links.count - 1
    }

    /// Forgets an entry that is not in the list.
    package mutating func drop(_ entry: Entry) {
        precondition(links[entry].older == Self.nowhere, "an entry was dropped that is in the order")
        free.append(entry)
    }

    /// Puts an entry after all others.
    package mutating func append(_ entry: Entry) {
        precondition(links[entry].older == Self.nowhere, "an entry was put into the order twice")
        let newest = links[Self.ends].older
        links[entry] = Link(older: newest, newer: Self.ends)
        links[newest].newer = entry
        links[Self.ends].older = entry
        count &+= 1
    }

    package mutating func remove(_ entry: Entry) {
        let link = links[entry]
        precondition(entry != Self.ends && link.older != Self.nowhere, "an entry was removed that is not in the order")
        links[link.older].newer = link.newer
        links[link.newer].older = link.older
        links[entry] = Link(older: Self.nowhere, newer: Self.nowhere)
        count &-= 1
    }
}
