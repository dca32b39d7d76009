import CLibevent
import Glibc

/// The kernel's notices (inotify) that the file at a path was written, or that an entry on the path to it changed: a
/// folder, a link or the file itself.
///
/// Any thread may create the notices; afterwards one `FileNoticeWatch` uses them.
package final class FileNotices: Sendable {
    /// As many links as the system itself follows.
    private static let mostLinks = 40
    private static let folderChanges =
        UInt32(IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_MOVE_SELF | IN_ONLYDIR)
    private static let fileChanges = UInt32(IN_MODIFY | IN_CLOSE_WRITE | IN_ATTRIB | IN_MOVE_SELF)

    fileprivate let descriptor: Int32
    /// The names that lead to the file, by the number of their folder's watch.
    private let entries: [Int32: Set<String>]

    /// Begins to collect the notices; the call may wait for a file system.
    ///
    /// A change after this call has a notice, except a mount over a folder; a write through a memory map has it when the
    /// file is closed. Nil where changes might have none: the file or a folder is missing or may not be read, the system
    /// has no inotify instance or watch left, or the file system is none of `localFileSystems`.
    package init?(of path: String) {
        descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
        var entries: [Int32: Set<String>] = [:]
        let isComplete = descriptor >= 0 && Self.watch(path, descriptor, &entries)
        self.entries = entries
        guard isComplete else { return nil }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Watches all folders on the way to the file, also behind links, and the file.
    private static func watch(_ path: String, _ descriptor: Int32, _ entries: inout [Int32: Set<String>]) -> Bool {
        var place = path.hasPrefix("/") ? "/" : "."
        var rest = Array(path.split(separator: "/").reversed())
        var links = 0
        while let name = rest.popLast() {
            guard let folder = add(place, folderChanges, descriptor) else { return false }
            if name == "." { continue }
            let next = "\(place)/\(name)"
            entries[folder, default: []].insert(String(name))
            guard let target = target(ofLink: next) else {
                place = next
                continue
            }
            links += 1
            guard links <= mostLinks else { return false }
            if target.hasPrefix("/") { place = "/" }
            rest += target.split(separator: "/").reversed()
        }
        return add(place, fileChanges, descriptor) != nil
    }

    private static func add(_ path: String, _ changes: UInt32, _ descriptor: Int32) -> Int32? {
        // SAFETY: the path is lent for the calls.
        guard localFileSystems.contains(unsafe attache_file_system(path)) else { return nil }
        let watch = unsafe inotify_add_watch(descriptor, path, changes | UInt32(IN_MASK_ADD))
        return watch >= 0 ? watch : nil
    }

    /// Nil for what is no link.
    private static func target(ofLink path: String) -> String? {
        // SAFETY: the path is lent for the call, which writes at most as many bytes as there is room for.
        unsafe withUnsafeTemporaryAllocation(byteCount: Int(PATH_MAX), alignment: 1) { room in
            guard let bytes = room.baseAddress else { return nil }
            let count = unsafe readlink(path, bytes.assumingMemoryBound(to: CChar.self), room.count)
            guard count >= 0 else { return nil }
            return unsafe String(decoding: room.prefix(count), as: UTF8.self)
        }
    }

    /// The kinds of file systems (statfs(2)) that normally only this kernel changes, so that it has a notice of each change.
    ///
    /// The layers of an overlayfs are taken for local, as in containers.
    private static let localFileSystems: Set<UInt32> = [
        0xEF53,  // ext2, ext3, ext4
        0x5846_5342,  // XFS
        0x9123_683E,  // Btrfs
        0x2FC1_2FC1,  // ZFS
        0xCA45_1A4E,  // bcachefs
        0xF2F5_2010,  // F2FS
        0x0102_1994,  // tmpfs
        0x8584_58F6,  // ramfs
        0x794C_7630,  // overlayfs
        0x7371_7368,  // squashfs
        0xE0F5_E1E2,  // EROFS
        0x4D44,  // FAT
    ]

    /// Takes the notices that have come.
    ///
    /// - Returns: Whether one of them is about the file or what leads to it, and not about another file of a folder.
    fileprivate func take() -> Bool {
        // SAFETY: the descriptor is this object's own, and the call writes at most as many bytes as there is room for. The
        // notices are read within the bytes that it has written.
        unsafe withUnsafeTemporaryAllocation(byteCount: 16384, alignment: 8) { room in
            guard let bytes = unsafe room.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return true }
            var isAboutFile = false
            while case let count = unsafe read(descriptor, bytes, room.count), count > 0 {
                var (offset, watch, start, length) = (0, Int32(0), 0, 0)
                while unsafe attache_next_notice(bytes, count, &offset, &watch, &start, &length) {
                    let name = unsafe String(
                        decoding: UnsafeBufferPointer(start: bytes + start, count: length), as: UTF8.self)
                    // Without a name it is about the file, a folder itself, or notices that were lost.
                    if name.isEmpty || entries[watch]?.contains(name) ?? true { isAboutFile = true }
                }
            }
            return isAboutFile
        }
    }
}

/// Calls a closure once, `delay` after a file may have changed.
///
/// Until then, only changes in the folders of its path wake the loop, at most twice per `delay`.
///
/// Confined to its loop. It ends when it is released.
package final class FileNoticeWatch {
    private let notices: FileNotices
    private let delay: Duration
    private let changed: () -> Void
    private var readiness: ReadinessWatch?
    private var timer: Timer?

    /// - Parameters:
    ///   - loop: The loop that the watch is confined to.
    ///   - notices: From before the last look at the file.
    ///   - delay: The time from the first notice to the call. Files that change all the time wake the loop no more often.
    ///   - changed: Called once; it may release this watch.
    package init(_ loop: EventLoop, _ notices: FileNotices, delay: Duration, changed: @escaping () -> Void) {
        self.notices = notices
        self.delay = delay
        self.changed = changed
        readiness = ReadinessWatch(loop: loop, descriptor: notices.descriptor, Event.read) { [unowned self] in
            noticed()
        }
        timer = Timer(loop: loop) { [unowned self] in look() }
        readiness?.start()
    }

    deinit { readiness?.end() }

    private func noticed() {
        readiness?.stop()
        timer?.schedule(after: delay)
    }

    private func look() {
        if notices.take() { changed() } else { readiness?.start() }
    }
}
