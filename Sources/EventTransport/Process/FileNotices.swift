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
    private let entries: [Int32: [[UInt8]]]
    private let close: Close

    /// Runs `call`, which closes the inotify descriptor, on a thread that may block: closing takes up to 20 ms.
    package typealias Close = @Sendable (_ call: @escaping @Sendable () -> Void) -> Void

    /// Begins to collect the notices; the call may wait for a file system.
    ///
    /// A change after this call has a notice, except perhaps a mount or unmount on the path. A write through a memory map
    /// has it when the file is closed. Nil where changes might have none: the file or a folder is missing or may not be
    /// read, the system has no inotify instance or watch left, or the file system is none of `localFileSystems`.
    package init?(of path: String, close: @escaping Close) {
        // First, so that a look each second at another file system does not make and close an instance each time.
        guard Self.isLocal(path) else { return nil }
        let descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
        guard descriptor >= 0 else { return nil }
        var entries: [Int32: [[UInt8]]] = [:]
        (self.descriptor, self.close) = (descriptor, close)
        let isComplete = Self.watch(path, descriptor, &entries)
        self.entries = entries
        guard isComplete else { return nil }
    }

    deinit { close { [descriptor] in _ = Glibc.close(descriptor) } }

    /// Watches all folders on the way to the file, also behind links, and the file.
    private static func watch(_ path: String, _ descriptor: Int32, _ entries: inout [Int32: [[UInt8]]]) -> Bool {
        var place = path.hasPrefix("/") ? "/" : "."
        var rest = Array(path.split(separator: "/").reversed())
        var links = 0
        while let name = rest.popLast() {
            guard let folder = add(place, folderChanges, descriptor) else { return false }
            if name == "." { continue }
            let next = "\(place)/\(name)"
            entries[folder, default: []].append(Array(name.utf8))
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
        guard isLocal(path) else { return nil }
        // SAFETY: the path is lent for the call.
        let watch = unsafe inotify_add_watch(descriptor, path, changes | UInt32(IN_MASK_ADD))
        return watch >= 0 ? watch : nil
    }

    // SAFETY: the path is lent for the call.
    private static func isLocal(_ path: String) -> Bool { localFileSystems.contains(unsafe attache_file_system(path)) }

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

    /// Takes notices that have come, until one of them is about the file or what leads to it.
    ///
    /// - Returns: True if one was found, or if 64 reads did not empty the queue.
    fileprivate func take() -> Bool {
        // SAFETY: the descriptor is this object's own, and the call writes at most as many bytes as there is room for.
        unsafe withUnsafeTemporaryAllocation(byteCount: 16384, alignment: 8) { room in
            guard let bytes = unsafe room.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return true }
            // A folder in which much happens must not hold up the loop.
            for _ in 0..<64 {
                let count = unsafe read(descriptor, bytes, room.count)
                guard count > 0 else { return false }
                if unsafe isAboutFile(UnsafeBufferPointer(start: bytes, count: count)) { return true }
            }
            return true
        }
    }

    // SAFETY: the caller lends the bytes; the names are read within them.
    private func isAboutFile(_ notices: UnsafeBufferPointer<UInt8>) -> Bool {
        var (offset, watch, start, length) = (0, Int32(0), 0, 0)
        while unsafe attache_next_notice(notices.baseAddress, notices.count, &offset, &watch, &start, &length) {
            // Without a name it is about the file, a folder itself, or notices that were lost.
            guard length > 0, let names = entries[watch] else { return true }
            let name = unsafe UnsafeBufferPointer(rebasing: notices[start..<start + length])
            if names.contains(where: { unsafe $0.elementsEqual(name) }) { return true }
        }
        return false
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
        if readiness?.start() != true { noticed() }
    }

    deinit { readiness?.end() }

    private func noticed() {
        readiness?.stop()
        timer?.schedule(after: delay)
    }

    private func look() {
        // If the kernel refuses to watch the descriptor, the file may have changed for all this watch can tell.
        if notices.take() || readiness?.start() != true { changed() }
    }
}
